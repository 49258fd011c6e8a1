// @ts-check
// A worker that waits at primitives of several kinds, gives up most of the time, and may be killed at any moment.
import { Arena, OwnerDiedError, Region, Semaphore } from '@sluice/core';
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Capacitor, LanedCapacitor } from '@sluice/capacitor';
import { LifoLock, McsLock } from '@sluice/classics';
import { Mutex } from '@sluice/mutex';
import { RwLock } from '@sluice/rw-lock';
import { MultilaneSemaphore } from '@sluice/semaphores';

/** @import { ArenaHandle, RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */

/**
 * Words of the region: waits that gave up, waits that were let in, workers that have begun, whether workers stop,
 * workers that stopped.
 */
export const GAVE_UP = 0;
export const LET_IN = 1;
export const BEGUN = 2;
export const HALTED = 3;
export const IDLE = 4;
export const WORDS = 8;
/** A wait that does not give up ends earlier, whatever the others do. */
const PATIENT_MS = 60_000;

/**
 * How a wait at a primitive looks: waits for some ms at most; waits asynchronously; what a wait that was let in does.
 * @typedef {object} Way
 * @property {(timeoutMs: number) => boolean} tryIt
 * @property {(options: { signal?: AbortSignal }) => Promise<unknown>} awaitIt
 * @property {() => void} leave
 */

/** @param {ReturnType<typeof create>} all @returns {Way[]} */
export function waysOf({ semaphore, lanes, locks, rwLock, buffer, gates }) {
  /**
   * @type {(lock: { tryLock(timeoutMs: number): boolean, lockAsync(options: { signal?: AbortSignal }):
   *   Promise<unknown>, unlock(): void }) => Way}
   */
  const lockWay = (lock) => ({
    tryIt: (timeoutMs) => lock.tryLock(timeoutMs),
    awaitIt: (options) => lock.lockAsync(options),
    leave: () => lock.unlock(),
  });
  return [
    ...[semaphore, lanes].map((sem) => ({
      tryIt: (/** @type {number} */ timeoutMs) => sem.tryAcquire(1, timeoutMs),
      awaitIt: (/** @type {{ signal?: AbortSignal }} */ options) => sem.acquireAsync(1, options),
      leave: () => sem.release(),
    })),
    ...[...locks, rwLock.writer, rwLock.reader].map(lockWay),
    {
      tryIt: (timeoutMs) => buffer.tryPop(timeoutMs) !== undefined,
      awaitIt: (options) => buffer.popAsync(options),
      leave: () => void buffer.tryPush(1),
    },
    ...gates.map((gate) => ({
      tryIt: (/** @type {number} */ timeoutMs) => gate.tryArrive(timeoutMs),
      awaitIt: (/** @type {{ signal?: AbortSignal }} */ options) => gate.arriveAsync(options),
      leave: () => gate.depart(),
    })),
  ];
}

/** @param {Arena} arena */
export function create(arena) {
  return {
    semaphore: Semaphore.create(2, { arena }),
    lanes: MultilaneSemaphore.create(2, { arena, lanes: 2 }),
    locks: [
      Mutex.create({ arena }),
      Mutex.create({ arena, order: 'turns' }),
      McsLock.create({ arena }),
      LifoLock.create({ arena }),
    ],
    rwLock: RwLock.create({ arena }),
    buffer: BoundedBuffer.create({ arena, capacity: 4, codec: 'int32' }),
    gates: [Capacitor.create({ arena, bypassLimit: 2 }), LanedCapacitor.create({ arena, bypassLimit: 2, lanes: 2 })],
  };
}

/** @typedef {{ arena: ArenaHandle, words: RegionHandle, handles: ReturnType<typeof handlesOf> }} GiveUpData */

/** @param {ReturnType<typeof create>} all */
export function handlesOf({
  semaphore,
  lanes,
  locks: [fifo, turns, mcs, lifo],
  rwLock,
  buffer,
  gates: [plain, laned],
}) {
  return {
    semaphore: semaphore.handle,
    lanes: lanes.handle,
    fifo: /** @type {Mutex} */ (fifo).handle,
    turns: /** @type {Mutex} */ (turns).handle,
    mcs: /** @type {McsLock} */ (mcs).handle,
    lifo: /** @type {LifoLock} */ (lifo).handle,
    rwLock: rwLock.handle,
    buffer: buffer.handle,
    plain: /** @type {Capacitor} */ (plain).handle,
    laned: /** @type {LanedCapacitor} */ (laned).handle,
  };
}

/**
 * Whether a wait that failed was let in: then the lock is repaired. undefined: refused. Throws what no wait may end
 * with.
 * @param {unknown} failure
 */
function isLetIn(failure) {
  if (failure instanceof Error && failure.name === 'AbortError') return false;
  if (!(failure instanceof OwnerDiedError)) throw failure;
  // Readers are refused until a writer repairs what the lock protects.
  if (failure.guard === undefined) return undefined;
  failure.guard.markConsistent();
  return true;
}

/** @param {Way} way @param {number} timeoutMs */
export function tryOnce(way, timeoutMs) {
  try {
    return way.tryIt(timeoutMs);
  } catch (failure) {
    return isLetIn(failure);
  }
}

/** @param {GiveUpData} data @param {JobContext} context */
export async function giveUps({ arena, words: region, handles }, { random, pause }) {
  Arena.from(arena);
  const words = Region.from(region).int32;
  const ways = waysOf({
    semaphore: Semaphore.from(handles.semaphore),
    lanes: MultilaneSemaphore.from(handles.lanes),
    locks: [
      Mutex.from(handles.fifo),
      Mutex.from(handles.turns),
      McsLock.from(handles.mcs),
      LifoLock.from(handles.lifo),
    ],
    rwLock: RwLock.from(handles.rwLock),
    buffer: /** @type {BoundedBuffer<number>} */ (BoundedBuffer.from(handles.buffer)),
    gates: [Capacitor.from(handles.plain), LanedCapacitor.from(handles.laned)],
  });
  Atomics.add(words, BEGUN, 1);
  for (;;) {
    if (Atomics.load(words, HALTED) === 1) {
      Atomics.add(words, IDLE, 1);
      Atomics.wait(words, HALTED, 1);
    }
    const way = random.pick(ways);
    if (random.chance(50)) {
      for (let left = random.between(1, 10); left > 0; left--) {
        const isPatient = random.chance(5);
        const isIn = tryOnce(way, isPatient ? PATIENT_MS : random.below(3) / 10);
        if (isPatient && isIn === false) throw new Error(`a wait of ${PATIENT_MS} ms was not let in`);
        Atomics.add(words, isIn ? LET_IN : GAVE_UP, 1);
        if (isIn === true) way.leave();
      }
      continue;
    }
    const controller = new AbortController();
    const waits = Array.from({ length: random.between(1, 100) }, async () => {
      const isIn = await way.awaitIt(random.chance(2) ? {} : { signal: controller.signal }).then(() => true, isLetIn);
      Atomics.add(words, isIn ? LET_IN : GAVE_UP, 1);
      if (isIn) way.leave();
    });
    if (random.chance(30)) await pause(0);
    controller.abort();
    await Promise.all(waits);
  }
}
