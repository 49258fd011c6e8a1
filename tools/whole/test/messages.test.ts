// Tests the texts of errors: the primitive, its holders, the number of waiters before the caller, and what was left
// unchanged.

import { describe, expect, test } from 'vitest';
import {
  addressWaitUntilAsync,
  keyMonitor,
  keyOf,
  keyWaitAsync,
  SharedWord,
} from '../../../packages/address-wait/src/index.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Capacitor, CapacitorLock, Turnstile } from '../../../packages/capacitor/src/index.ts';
import { recordOf } from '../../../packages/core/src/recovery/claim-dead-agent.ts';
import { contextOf } from '../../../packages/core/src/arena/arena.ts';
import { AGENT_LIFE } from '../../../packages/core/src/kernel/layout.ts';
import { Arena, Semaphore } from '../../../packages/core/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { createLimit } from '../../../packages/limit/src/index.ts';
import {
  ChainSemaphore,
  LifoLock,
  LightweightSemaphore,
  McsLock,
  MultilaneSemaphore,
  TtsLock,
} from '../../../packages/classics/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { PrioritySemaphore } from '../../../packages/semaphores/src/index.ts';
import { rejection } from '../../conformance/src/observe.ts';

const arena = Arena.create({ maxPages: 64 });
const other = secondAgent(arena);
const [me, them] = [arena.agentId, other.agentId];
const ME = `this agent (agent ${me})`;
const THEM = `agent ${them} (main thread)`;
const named = { arena, name: 'accounts' };
const late = { timeout: 1 };

async function messageOf(promise: Promise<unknown>): Promise<string> {
  return ((await rejection(promise)) as Error).message;
}

function thrown(act: () => unknown): string {
  try {
    act();
  } catch (failure) {
    return (failure as Error).message;
  }
  throw new Error('No error was thrown.');
}

describe('a wait that timed out', () => {
  test.each([
    ['Mutex', Mutex],
    ['RecursiveMutex', RecursiveMutex],
    ['McsLock', McsLock],
  ] as const)(
    'a wait that timed out for a %s names the owner and the number of waiters before it',
    async (name, Class) => {
      const ours = Class.create(named) as Mutex;
      const theirs = openAs(other, ours.handle, (handle) => (Class as unknown as typeof Mutex).from(handle));
      theirs.lock();
      expect(await messageOf(ours.lockAsync(late))).toBe(
        `${name} 'accounts' could not be locked within 1 ms: held by ${THEM}, next in line. It was not locked.`,
      );
      expect(await messageOf(ours.lockAsync({ timeout: 0 }))).toBe(
        `${name} 'accounts' could not be locked within 0 ms: held by ${THEM}. It was not locked.`,
      );
      const before = [ours.lockAsync(), ours.lockAsync()];
      expect(await messageOf(ours.lockAsync(late))).toBe(
        `${name} 'accounts' could not be locked within 1 ms: held by ${THEM}, 2 waiters ahead. It was not locked.`,
      );
      theirs.unlock();
      for (const wait of before) {
        await wait;
        ours.unlock();
      }
    },
  );

  test.each([
    ['TtsLock', TtsLock],
    ['LifoLock', LifoLock],
  ] as const)(
    'a wait that timed out for a %s, which keeps no order, has the number of waiters',
    async (name, Class) => {
      const lock = Class.create(named) as TtsLock;
      lock.lock();
      const waiting = lock.lockAsync();
      expect(await messageOf(lock.lockAsync(late))).toBe(
        `${name} 'accounts' could not be locked within 1 ms: held by ${ME}, 1 waiter in line. It was not locked.`,
      );
      lock.unlock();
      await waiting;
      lock.unlock();
    },
  );

  // A member of the family is still in line when its error is created, and is not counted.
  test.each([
    ['Semaphore', Semaphore, 1],
    ['ChainSemaphore', ChainSemaphore, 0],
  ] as const)(
    'a wait that timed out for a %s names the available permits and their holders',
    async (name, Class, free) => {
      const sem = Class.create(4, named) as Semaphore;
      sem.acquire(3);
      expect(await messageOf(sem.acquireAsync(2, late))).toBe(
        `${name} 'accounts': timed out after 1 ms waiting for 2 permits (${free} of 4 available, held by ${ME}, next in line). No permit was taken.`,
      );
      const waiting = sem.acquireAsync(4);
      expect(await messageOf(sem.acquireAsync(1, late))).toContain('waiting for 1 permit (0 of 4 available, held by');
      expect(await messageOf(sem.acquireAsync(1, late))).toContain('1 waiter ahead). No permit was taken.');
      sem.release(3);
      await waiting;
    },
  );

  test.each([MultilaneSemaphore, LightweightSemaphore, PrioritySemaphore])(
    'a wait that timed out for a semaphore of several lines counts the waiters of all lines',
    async (Class) => {
      const sem = Class.create(1, named);
      sem.acquire();
      expect(await messageOf(sem.acquireAsync(1, late))).toContain(
        `'accounts': timed out after 1 ms waiting for 1 permit (0 of 1 available, held by ${ME}`,
      );
    },
  );

  test('a wait that timed out for a read-write lock names its readers and its writer', async () => {
    const ours = RwLock.create(named);
    const theirs = openAs(other, ours.handle, (handle) => RwLock.from(handle));
    theirs.reader.lock();
    ours.reader.lock();
    expect(await messageOf(ours.writer.lockAsync(late))).toBe(
      `RwLock 'accounts' could not be locked for writing within 1 ms: held for reading by this agent (agent ${me}) and agent ${them} (main thread), next in line. It was not locked.`,
    );
    theirs.reader.unlock();
    ours.reader.unlock();
    theirs.writer.lock();
    expect(await messageOf(ours.reader.lockAsync(late))).toBe(
      `RwLock 'accounts' could not be locked for reading within 1 ms: held for writing by ${THEM}, next in line. It was not locked.`,
    );
  });

  test('for an event, a capacitor and a turnstile says what did not happen', async () => {
    expect(await messageOf(AutoResetEvent.create(named).waitAsync(late))).toBe(
      "AutoResetEvent 'accounts' got no signal within 1 ms: next in line. No signal was taken.",
    );
    const door = Capacitor.create({ ...named, bypassLimit: 1 });
    door.arrive();
    expect(await messageOf(door.arriveAsync(late))).toBe(
      `Capacitor 'accounts' could not be entered within 1 ms: entered by ${ME}, next in line. It was not entered.`,
    );
    const turnstile = Turnstile.create(named);
    openAs(other, turnstile.handle, (handle) => Turnstile.from(handle)).arrive();
    expect(await messageOf(turnstile.arriveAsync(late))).toContain(
      `Turnstile 'accounts' could not be entered within 1 ms: taken by ${THEM}`,
    );
  });

  test('a wait that timed out for a buffer has the number of values in it', async () => {
    const jobs = BoundedBuffer.create({ ...named, codec: 'int32', capacity: 1 });
    expect(await messageOf(jobs.popAsync(late))).toBe(
      "BoundedBuffer 'accounts' had no value within 1 ms: 0 values in it, next in line. No value was taken.",
    );
    jobs.push(1);
    expect(await messageOf(jobs.pushAsync(2, late))).toBe(
      "BoundedBuffer 'accounts' had no room within 1 ms: 1 value in it, next in line. No value was put in.",
    );
  });

  test('a wait that timed out for a limit counts threads', async () => {
    const limit = createLimit(1, named);
    const ends: (() => void)[] = [];
    const running = limit(() => new Promise<void>((resolve) => void ends.push(resolve)));
    const waiting = limit(() => undefined);
    const body = (): void => undefined;
    expect(await messageOf(limit.run(body, late))).toBe(
      `Limit 'accounts' did not start the call within 1 ms: 1 of 1 slots in use, held by ${ME}, 1 thread in line. The function was not called.`,
    );
    for (const end of ends) end();
    await Promise.all([running, waiting]);
    limit.close();
    expect(await messageOf(limit(body))).toBe("Limit 'accounts' is closed. The function was not called.");
  });

  test('a wait that timed out on a condition names the word', async () => {
    const word = SharedWord.create(0, named);
    expect(await messageOf(addressWaitUntilAsync(word, () => false, late))).toBe(
      "SharedWord 'accounts': the condition did not hold within 1 ms.",
    );
    expect(await messageOf(keyWaitAsync(keyOf(word, 7), keyMonitor(keyOf(word, 7)), late))).toBe(
      "ticket 7 of SharedWord 'accounts': no signal came within 1 ms.",
    );
  });

  test('says that the thread of the owner has ended, and what to do', async () => {
    const stage = Arena.create({ maxPages: 8 });
    const gone = secondAgent(stage);
    const ours = Mutex.create({ arena: stage, name: 'accounts' });
    openAs(gone, ours.handle, (handle) => Mutex.from(handle)).lock();
    const context = contextOf(stage);
    // Its probes are all used up until its event loop runs again. Until then its thread seems to have ended.
    context.parking.notify(recordOf(context, gone.agentId) + AGENT_LIFE);
    const told = ` The thread of agent ${gone.agentId} (main thread) has ended, and no thread has recovered it: watch workers with arena.watch(worker), or call arena.reclaimDead().`;
    const failures = [ours.lockAsync({ timeout: 0 }), ours.lockAsync({ timeout: 0 })].map((wait) => messageOf(wait));
    for (const message of await Promise.all(failures)) expect(message).toMatch(/It was not locked\. The thread of/);
    expect((await Promise.all(failures))[0]).toContain(told);
  });

  test('does not say that a living thread has ended, and probes it rarely', async () => {
    const stage = Arena.create({ maxPages: 8 });
    const lives = secondAgent(stage);
    const ours = Mutex.create({ arena: stage });
    openAs(lives, ours.handle, (handle) => Mutex.from(handle)).lock();
    const messages = await Promise.all(Array.from({ length: 40 }, () => messageOf(ours.lockAsync({ timeout: 0 }))));
    expect(messages.filter((message) => message.includes('has ended'))).toEqual([]);
    expect(() => stage.reclaim(lives.agentId)).toThrow('is alive');
  });

  test('reads a bounded number of waiters', async () => {
    const stage = Arena.create({ maxPages: 64 });
    const sem = Semaphore.create(0, { arena: stage });
    const waits = Array.from({ length: 2000 }, () => rejection(sem.acquireAsync()));
    expect(await messageOf(sem.acquireAsync(1, late))).toMatch(/at least \d+ waiters ahead/);
    sem.close();
    await Promise.all(waits);
  });
});

describe('an error', () => {
  test('about an owned lock names its owner', () => {
    const ours = Mutex.create(named);
    const theirs = openAs(other, ours.handle, (handle) => Mutex.from(handle));
    expect(thrown(() => ours.unlock())).toBe(
      `Mutex 'accounts' cannot be unlocked: ${ME} does not own it. Owned by no agent.`,
    );
    theirs.lock();
    expect(thrown(() => ours.unlock())).toBe(
      `Mutex 'accounts' cannot be unlocked: ${ME} does not own it. Held by ${THEM}.`,
    );
    expect(thrown(() => ours.free())).toBe(`Mutex 'accounts' is in use and cannot be freed: held by ${THEM}.`);
    theirs.unlock();
    ours.lock();
    expect(thrown(() => ours.lock())).toBe(
      `Mutex 'accounts' is owned by ${ME} already, so the call would never return. It was not locked.`,
    );
    ours.unlock();
  });

  test('about a release beyond the maximum has the number of free permits', () => {
    const sem = Semaphore.create(3, { ...named, max: 4 });
    expect(thrown(() => sem.release(2))).toBe(
      "Semaphore 'accounts': releasing 2 would leave more than max = 4 permits free (3 are free). Nothing was released.",
    );
  });

  test('about a deadlock and a closed primitive names it', () => {
    const sem = Semaphore.create(0, named);
    sem.acquireAsync().catch(() => undefined);
    expect(thrown(() => sem.acquire())).toBe(
      "Semaphore 'accounts': the call would block this agent behind 1 async wait of its own, which cannot settle while this agent is blocked. " +
        'No permit was taken. Use the async form, or await the wait first.',
    );
    sem.close();
    expect(thrown(() => sem.acquire())).toBe("Semaphore 'accounts' is closed. No permit was taken.");
  });

  test('names an unnamed primitive by its address', () => {
    const mutex = Mutex.create({ arena });
    expect(thrown(() => mutex.unlock())).toContain(`Mutex at address ${mutex.handle.address} cannot be unlocked`);
  });

  test('about a capacitor lock names the lock', () => {
    const lock = CapacitorLock.create(Mutex.create({ arena }), named);
    expect(thrown(() => lock.unlock())).toBe(`CapacitorLock 'accounts' cannot be unlocked: ${ME} does not hold it.`);
  });
});

describe('inspect() of a limit', () => {
  test('lists an agent once, even while a slot is on its way to it', async () => {
    const limit = createLimit(2, named);
    const sem = Semaphore.create(1, named);
    const over = createLimit(sem);
    sem.acquire();
    const waiting = over(() => undefined);
    sem.release();
    expect(over.inspect().holders.map(({ agent }) => agent)).toEqual([me]);
    await waiting;
    const ends: (() => void)[] = [];
    const calls = [1, 2].map(() => limit(() => new Promise<void>((resolve) => void ends.push(resolve))));
    await Promise.resolve();
    expect(limit.inspect().holders).toMatchObject([{ agent: me, permits: 2 }]);
    for (const end of ends) end();
    await Promise.all(calls);
  });
});
