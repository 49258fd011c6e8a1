// Tests steps that lose every race, as on some damaged memories. Each loop that repeats a step must end.

import { beforeEach, expect, test, vi } from 'vitest';
import { addressWaitUntilAsync, SharedWord } from '../../../packages/address-wait/src/index.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Turnstile } from '../../../packages/capacitor/src/index.ts';
import { createLimit } from '../../../packages/limit/src/index.ts';
import {
  AddressSemaphore,
  LifoLock,
  LightweightSemaphore,
  McsLock,
  MonitorSemaphore,
  MultilaneSemaphore,
  ReciprocatingLock,
  TicketLock,
  TtsLock,
} from '../../../packages/classics/src/index.ts';
import { Mutex } from '../../../packages/mutex/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { Arena, CorruptArenaError, Semaphore } from '../../../packages/core/src/index.ts';
import { contextOf } from '../../../packages/core/src/internal.ts';
import type { LineSteps } from '../../../packages/core/src/agent/kind.ts';
import { SLEEP_WORD } from '../../../packages/core/src/kernel/layout.ts';
import { LONGEST_RACE_MS, retryOrThrow } from '../../../packages/core/src/memory/retry.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { PROMISED, RACED, SLEEPING, WAITING } from '../../../packages/core/src/kernel/states.ts';

let msPerLook = 1000;
let clock = 0;

beforeEach(() => {
  msPerLook = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => (clock += msPerLook));
});

interface Scene {
  readonly arena: Arena;
  /** Makes these steps return that result from now on. Instances that keep a step must be created afterwards. */
  readonly stop: (...steps: string[]) => void;
  readonly answer: (step: string, result: number) => void;
}

type Call = (scene: Scene) => unknown;

/** The names of the steps of a semaphore's waiters in the core's kernel. */
const LINE_STEPS: ReadonlyMap<string, keyof LineSteps> = new Map([
  ['poll', 'poll'],
  ['park', 'park'],
  ['cancelWait', 'cancel'],
]);

const LOCKS = { Mutex, McsLock, LifoLock, ReciprocatingLock, TtsLock, TicketLock };

/** A ticket lock's unlock always wins. */
const { TicketLock: _never, ...RETRYING } = LOCKS;

const unlocks: [string, Call][] = Object.entries(RETRYING).map(([name, Lock]) => [
  `${name}.unlock`,
  ({ arena, stop }) => {
    // The first instance loads its kind, and with it the steps.
    Lock.create({ arena });
    stop('unlockTts');
    const lock = Lock.create({ arena });
    lock.lock();
    const other = openAs(secondAgent(arena), lock.handle as never, (handle) => Lock.from(handle));
    void other.lockAsync().catch(() => undefined);
    stop('handOverMutex', 'handOverQueued', 'passTts');
    lock.unlock();
  },
]);

const visits: [string, Call][] = Object.entries(LOCKS).map(([name, Lock]) => [
  `${name}.lockAsync`,
  ({ arena, stop }) => {
    // The first one loads its kind, and with it the steps.
    Lock.create({ arena });
    stop('enqueueAtMutex', 'enqueueAtQueuedLock', 'enqueueAtTts', 'enqueueAtTicketLock');
    const lock = Lock.create({ arena });
    lock.lock();
    return lock.lockAsync();
  },
]);

const queuedWait: [string, Call][] = Object.entries({ McsLock, LifoLock, ReciprocatingLock }).map(([name, Lock]) => [
  `${name}.lockAsync with a gate that stays PROMISED`,
  ({ arena, answer }) => {
    // Its kind keeps the step that is there when it is loaded.
    answer('park', PROMISED);
    const lock = Lock.create({ arena });
    lock.lock();
    // As on a damaged memory: the gate is none at which it may sleep.
    vi.spyOn(contextOf(arena), 'waitAsync').mockReturnValue(undefined);
    return lock.lockAsync();
  },
]);

const others: [string, Call][] = [
  ['Semaphore.tryAcquire', ({ arena, stop }) => (stop('tryAcquire'), Semaphore.create(2, { arena }).tryAcquire(2))],
  ['Semaphore.drain', ({ arena, stop }) => (stop('drain'), Semaphore.create(2, { arena }).drain())],
  [
    'Semaphore.release',
    ({ arena, stop }) => {
      stop('release');
      Semaphore.create(2, { arena }).release();
    },
  ],
  ['Semaphore.acquireAsync', ({ arena, stop }) => (stop('link'), Semaphore.create(0, { arena }).acquireAsync())],
  [
    'a timeout of Semaphore.acquire',
    ({ arena, stop }) => (stop('cancelWait'), Semaphore.create(0, { arena }).tryAcquire(1, 5)),
  ],
  [
    'a blocking Semaphore.acquire',
    ({ arena, answer }) => {
      const sem = Semaphore.create(0, { arena });
      answer('park', PROMISED);
      answer('poll', WAITING);
      vi.spyOn(contextOf(arena).parking, 'wait').mockReturnValue('not-equal');
      sem.acquire();
    },
  ],
  ['creating a primitive', ({ arena, stop }) => (stop('extend'), Semaphore.create(2, { arena }))],
  [
    'freeing a primitive',
    ({ arena, stop }) => {
      const sem = Semaphore.create(2, { arena });
      stop('pushFreeBlock');
      sem.free();
    },
  ],
  [
    'using a free block',
    ({ arena, stop }) => {
      Semaphore.create(2, { arena }).free();
      stop('popFreeBlock');
      Semaphore.create(2, { arena });
    },
  ],
  [
    'growing a pool',
    ({ arena, stop }) => {
      stop('addToPool');
      for (let count = 0; count < 100; count++) void Semaphore.create(0, { arena }).acquireAsync();
    },
  ],
  [
    'Arena.leave',
    ({ arena, stop }) => {
      stop('takeOver');
      arena.leave();
    },
  ],
  [
    'AutoResetEvent.signal',
    ({ arena, stop }) => {
      // The first one loads the step.
      AutoResetEvent.create({ arena });
      stop('signalEvent');
      AutoResetEvent.create({ arena }).signal();
    },
  ],
  [
    'Turnstile.depart',
    ({ arena, stop }) => {
      const turnstile = Turnstile.create({ arena });
      stop('departTurnstile');
      turnstile.arrive();
      void openAs(secondAgent(arena), turnstile.handle, (handle) => Turnstile.from(handle))
        .arriveAsync()
        .catch(() => undefined);
      for (let turns = 0; turns < 1000; turns++) {
        turnstile.depart();
        turnstile.arrive();
      }
    },
  ],
  [
    'RwLock reader.tryLock',
    ({ arena, stop }) => {
      RwLock.create({ arena });
      stop('lockReader');
      RwLock.create({ arena }).reader.tryLock();
    },
  ],
  [
    'RwLock writer.unlock',
    ({ arena, stop }) => {
      const lock = RwLock.create({ arena });
      lock.writer.lock();
      void lock.reader.lockAsync().catch(() => undefined);
      stop('handOverWriter');
      lock.writer.unlock();
    },
  ],
  [
    'RwLock.downgrade',
    ({ arena, stop }) => {
      const lock = RwLock.create({ arena });
      lock.writer.lock();
      stop('downgradeWriter');
      lock.downgrade();
    },
  ],
  [
    'LightweightSemaphore.tryAcquire',
    ({ arena, stop }) => {
      const sem = LightweightSemaphore.create(2, { arena });
      stop('takeTokens');
      sem.tryAcquire(2);
    },
  ],
  [
    'LightweightSemaphore.release',
    ({ arena, stop }) => {
      const sem = LightweightSemaphore.create(2, { arena });
      stop('boxRelease');
      sem.release(2);
    },
  ],
  [
    'MonitorSemaphore.tryAcquire',
    ({ arena, stop }) => {
      const sem = MonitorSemaphore.create(2, { arena });
      stop('tryAcquire');
      sem.tryAcquire(2);
    },
  ],
  [
    'MonitorSemaphore.release',
    ({ arena, stop }) => {
      const sem = MonitorSemaphore.create(2, { arena });
      stop('releaseTickets');
      sem.release(2);
    },
  ],
  [
    'MonitorSemaphore.drain',
    ({ arena, stop }) => {
      const sem = MonitorSemaphore.create(2, { arena });
      stop('drain');
      sem.drain();
    },
  ],
  [
    'AddressSemaphore.tryAcquire',
    ({ arena, stop }) => {
      const sem = AddressSemaphore.create(2, { arena });
      stop('takeTokens');
      sem.tryAcquire(2);
    },
  ],
  [
    'AddressSemaphore.release',
    ({ arena, stop }) => {
      const sem = AddressSemaphore.create(2, { arena });
      stop('giveTokens');
      sem.release(2);
    },
  ],
  [
    'AddressSemaphore.drain',
    ({ arena, stop }) => {
      const sem = AddressSemaphore.create(2, { arena });
      stop('takeTokens');
      sem.drain();
    },
  ],
  [
    'MultilaneSemaphore.drain',
    ({ arena, stop }) => {
      const sem = MultilaneSemaphore.create(200, { arena });
      stop('drawShare');
      sem.drain();
    },
  ],
  [
    'the end of MultilaneSemaphore.drain',
    ({ arena, stop }) => {
      const sem = MultilaneSemaphore.create(200, { arena });
      stop('endDrain');
      sem.drain();
    },
  ],
  [
    'a condition of addressWaitUntilAsync, after a wake-up',
    ({ arena, answer }) => {
      const word = SharedWord.create(0, { arena });
      answer('sleepOnGate', SLEEPING);
      vi.spyOn(contextOf(arena), 'waitAsync').mockReturnValueOnce(Promise.resolve()).mockReturnValue(undefined);
      return addressWaitUntilAsync(word, () => false);
    },
  ],
  [
    'Limit: a change of the concurrency',
    ({ arena, stop }) => {
      const limit = createLimit(2, { arena });
      stop('resizeLimit');
      limit.concurrency = 3;
    },
  ],
  [
    'BoundedBuffer.push',
    ({ arena, stop }) => {
      // The first one loads its kind, and with it the steps.
      BoundedBuffer.create({ codec: 'int32', capacity: 2, arena });
      stop('passInt32', 'enqueueAtSideLock');
      const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 2, arena });
      buffer.push(1);
    },
  ],
  ['Barrier.wait on a bell with a bit that it never has', ({ arena }) => damagedBarrier(arena).wait()],
  ['Barrier.tryWait on such a bell', ({ arena }) => damagedBarrier(arena).tryWait(5)],
];

function damagedBarrier(arena: Arena): Barrier {
  const barrier = Barrier.create(2, { arena });
  contextOf(arena).words.store32(barrier.handle.address + SLEEP_WORD, -2);
  return barrier;
}

test.each([...unlocks, ...visits, ...queuedWait, ...others])(
  '%s throws a CorruptArenaError when its step loses every race',
  async (_, call) => {
    const arena = Arena.create({ maxPages: 4 });
    const kernel = contextOf(arena).kernel as unknown as Record<string, () => number>;
    const line = contextOf(arena).semaphoreLine as Record<keyof LineSteps, () => number>;
    const answer = (step: string, result: number): void => {
      const lineStep = LINE_STEPS.get(step);
      if (lineStep !== undefined) line[lineStep] = () => result;
      kernel[step] = () => result;
    };
    const stop = (...steps: string[]): void => {
      for (const step of steps) answer(step, RACED);
    };
    const ended = new Promise((resolve) => {
      resolve(call({ arena, stop, answer }));
    });
    await expect(ended).rejects.toThrow(CorruptArenaError);
  },
);

test('a step may lose its races for 10 s, whatever their number', () => {
  msPerLook = 0.001;
  for (let tries = 1; tries <= 1_000_000; tries++) retryOrThrow(tries);
  msPerLook = LONGEST_RACE_MS;
  // A pause of the whole thread counts for a quarter of its length.
  const tries = Array.from({ length: 5 }, (_, look) => (look + 1) * 4096);
  for (const at of tries.slice(0, 4)) expect(retryOrThrow(at)).toBe(true);
  expect(() => retryOrThrow(tries[4] ?? 0)).toThrow(
    "The arena's memory is damaged: a step was refused for 10 s without a pause.",
  );
});
