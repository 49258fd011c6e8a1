// @ts-check
// Uses arenas in whose memory words were overwritten at random, and says in shared words which round and which call it
// is in: one that never ends is seen from outside.
import { Arena, Semaphore } from '@sluice/core';
import { Random } from '../../../harness/src/random.mjs';
import { setImmediate as turn } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { AutoResetEvent } from '../../../../packages/auto-reset-event/dist/index.js';
import { BoundedBuffer } from '../../../../packages/bounded-buffer/dist/index.js';
import { Capacitor, LanedCapacitor, Turnstile } from '../../../../packages/capacitor/dist/index.js';
import {
  AddressSemaphore,
  LifoLock,
  McsLock,
  MultilaneSemaphore,
  ReciprocatingLock,
  TtsLock,
} from '../../../../packages/classics/dist/index.js';
import { Mutex } from '../../../../packages/mutex/dist/index.js';
import { RwLock } from '../../../../packages/rw-lock/dist/index.js';

/**
 * @typedef {{ sem: import('@sluice/core').SemaphoreHandle, mutex:
 *   import('../../../../packages/mutex/dist/index.js').MutexHandle }} Child
 */
const { seed, first, rounds, place, child } =
  /** @type {{ seed: number, first: number, rounds: number, place: Int32Array, child?: Child }} */ (workerData);
// A step that loses races for 10 s ends with an error: here in a tenth of a second.
const now = performance.now.bind(performance);
performance.now = () => 100 * now();

/** @type {Record<string, number>} */
const ends = {};
const note = (/** @type {unknown} */ failure) => {
  const { name, code, message } = /** @type {{ name?: string, code?: string, message?: string }} */ (failure);
  const what = code?.startsWith('SLUICE_') ? code : `${name}: ${message}`;
  ends[what] = (ends[what] ?? 0) + 1;
};
process.on('uncaughtException', note);
process.on('unhandledRejection', note);

/** @param {() => unknown} call */
function attempt(call) {
  Atomics.add(place, 1, 1);
  try {
    const result = call();
    if (result instanceof Promise) result.catch(note);
    ends['result'] = (ends['result'] ?? 0) + 1;
  } catch (failure) {
    note(failure);
  }
}

/** Primitives with agents inside and in line, tombstones, freed blocks. */
function scene() {
  const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
  const options = { arena, name: 'one of them' };
  const gone = Array.from({ length: 3 }, () => Semaphore.create(1, options));
  const controller = new AbortController();
  const all = {
    sem: Semaphore.create(0, options),
    multilane: MultilaneSemaphore.create(0, options),
    address: AddressSemaphore.create(0, options),
    mutex: Mutex.create(options),
    mcs: McsLock.create(options),
    lifo: LifoLock.create(options),
    reciprocating: ReciprocatingLock.create(options),
    tts: TtsLock.create(options),
    event: AutoResetEvent.create(options),
    rw: RwLock.create(options),
    capacitor: Capacitor.create({ ...options, bypassLimit: 2 }),
    lanes: LanedCapacitor.create({ ...options, lanes: 2, bypassLimit: 2 }),
    turnstile: Turnstile.create(options),
    full: /** @type {BoundedBuffer<number>} */ (BoundedBuffer.create({ ...options, codec: 'int32', capacity: 2 })),
    empty: /** @type {BoundedBuffer<number>} */ (BoundedBuffer.create({ ...options, codec: 'float64', capacity: 4 })),
  };
  const waits = [
    ...[1, 3, 2, 1].map((permits) => all.sem.acquireAsync(permits)),
    ...[3, 1, 2].map((permits) => all.sem.acquireAsync(permits, { signal: controller.signal })),
    all.sem.acquireAsync(),
    ...[1, 2].map(() => all.multilane.acquireAsync()),
    ...[1, 2].map((permits) => all.address.acquireAsync(permits)),
    ...[1, 2, 3].map(() => all.mutex.lockAsync()),
    ...[all.mcs, all.lifo, all.reciprocating, all.tts].flatMap((lock) => [1, 2, 3].map(() => lock.lockAsync())),
    ...[1, 2].map(() => all.event.waitAsync()),
    all.rw.reader.lockAsync(),
    all.rw.writer.lockAsync(),
    ...[1, 2, 3, 4].map(() => all.capacitor.arriveAsync()),
    ...[1, 2, 3, 4].map(() => all.lanes.arriveAsync()),
    all.turnstile.arriveAsync(),
    ...[1, 2, 3, 4].map((value) => all.full.pushAsync(value)),
    ...[1, 2, 3].map(() => all.empty.popAsync()),
  ];
  for (const wait of waits) void wait.catch(() => undefined);
  controller.abort();
  for (const sem of gone) sem.free();
  return { arena, ...all };
}

/** @param {Random} random @param {SharedArrayBuffer} buffer @param {number} used */
function damage(random, buffer, used) {
  const words = new Int32Array(buffer);
  // Mostly words that say something: most of an arena is room for records to come.
  const said = Array.from({ length: used >> 2 }, (_, at) => at).filter((at) => words[at] !== 0);
  for (let left = random.between(1, 3); left > 0; left--) {
    const at = random.chance(90) ? random.pick(said) : random.below(used >> 2);
    const before = words[at] ?? 0;
    const other = words[random.below(used >> 2)] ?? 0;
    words[at] = random.pick([
      0,
      -1,
      1,
      before + 1,
      before - 1,
      before ^ (1 << random.below(32)),
      other,
      64 * random.below(used >> 6),
      random.next() | 0,
      2 ** 31 - 1,
    ]);
  }
}

/** Damage that no call can miss, whatever the seed. @param {SharedArrayBuffer} buffer @param {number} used */
function wreck(buffer, used) {
  const words = new Int32Array(buffer, 0, used >> 2);
  for (const [at, word] of words.entries()) if (word !== 0) words[at] = -1;
}

async function round(
  /** @type {Random} */ random,
  /** @type {ArrayLike<number>} */ dead,
  harm = (/** @type {SharedArrayBuffer} */ buffer, /** @type {number} */ used) => damage(random, buffer, used),
) {
  const {
    arena,
    sem,
    multilane,
    address,
    mutex,
    mcs,
    lifo,
    reciprocating,
    tts,
    event,
    rw,
    capacitor,
    lanes,
    turnstile,
    full,
    empty,
  } = scene();
  if (dead.length > 0) await diesIn(sem, mutex);
  const { used } = arena.inspect();
  await turn();
  harm(/** @type {SharedArrayBuffer} */ (arena.handle.memory.buffer), used);
  const calls = [
    () => arena.inspect(),
    () => arena.findDeadlock(),
    () => sem.inspect(),
    () => sem.release(2),
    () => sem.release(5),
    () => multilane.release(3),
    () => address.release(2),
    () => mutex.inspect(),
    () => mutex.owned && mutex.unlock(),
    ...[mcs, lifo, reciprocating, tts].flatMap((lock) => [
      () => lock.unlock(),
      () => lock.tryLock(1),
      () => lock.lockAsync(),
      () => lock.inspect(),
    ]),
    () => event.signal(),
    () => rw.reader.unlock(),
    () => capacitor.depart(),
    () => lanes.depart(),
    () => turnstile.depart(),
    () => full.tryPop(),
    () => full.tryPop(),
    () => empty.tryPush(7),
    () => full.inspect(),
    () => Semaphore.create(1, { arena }),
    () => Array.from({ length: 40 }, () => sem.acquireAsync().catch(() => undefined)),
    () => sem.close(),
    // Not `close`: it blocks while a side's lock has a living owner, and damage may name one.
    () => full.closeAsync(),
    () => multilane.close(),
    () => sem.free(),
    () => arena.reclaimDead(),
    () => arena.leave(),
    () => arena.inspect(),
  ];
  const order = random.chance(50)
    ? calls
    : calls
        .map((call) => ({ call, key: random.next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ call }) => call);
  for (const call of order) attempt(call);
  await turn();
}

/** Another agent, which has waits and permits, and ends. */
function diesIn(/** @type {Semaphore} */ sem, /** @type {Mutex} */ mutex) {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { child: { sem: sem.handle, mutex: mutex.handle } },
  });
  return new Promise((resolve) => worker.once('exit', resolve));
}

if (child !== undefined) {
  const sem = Semaphore.from(child.sem);
  for (const permits of [1, 2, 1]) void sem.acquireAsync(permits, { ref: false }).catch(() => undefined);
  void Mutex.from(child.mutex)
    .lockAsync({ ref: false })
    .catch(() => undefined);
} else if (!isMainThread) {
  void run();
}

async function run() {
  for (let at = first; at < first + rounds; at++) {
    Atomics.store(place, 1, 0);
    Atomics.store(place, 0, at);
    await round(new Random(seed + at), at % 8 === 0 ? [1] : []);
  }
  await round(new Random(seed), [], wreck);
  Atomics.store(place, 0, -1);
  parentPort?.postMessage(ends);
  process.exit(0);
}
