// Tests mutexes with the order 'turns' with agents of one thread. The test's clock advances by one step per pass.

import { Arena } from '@sluice/core';
import { openPrimitive, OwnTurn, turnToTake } from '@sluice/core/internal';
import { contextOf } from '../../core/src/arena/arena.ts';
import { isElement } from '../../core/src/agent/is-element.ts';
import { asElement, asLine } from '../../core/src/kernel/addresses.ts';
import { MODE_BLOCKING, NOT_SEEN, PASSES_LEFT, TURN } from '../../core/src/kernel/layout.ts';
import { LINKED, PARKED, RACED, TAKEN, WAITING } from '../../core/src/kernel/states.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sleepInLine } from '../../core/src/line/line.ts';
import { DEFAULT_POLICY } from '../../core/src/api/waiting-policy.ts';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Condition, Mutex, RecursiveMutex } from '../src/index.ts';
import { MUTEX, RECURSIVE_MUTEX } from '../src/kinds.ts';
import type { MutexKernel } from '../src/kinds.ts';
import { MUTEX_TRAITS } from '../src/turn-traits.ts';
import { adapted, TURN_MS } from '../../core/src/locks/turn-length.ts';

const arena = Arena.create({ maxPages: 16 });
const others = [secondAgent(arena), secondAgent(arena), secondAgent(arena)];

let clock = 0;

beforeEach(() => {
  clock = 1;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const create = (
  Kind: typeof Mutex | typeof RecursiveMutex,
): { ours: Mutex | RecursiveMutex; theirs: (Mutex | RecursiveMutex)[] } => {
  const ours = Kind.create({ arena });
  const from = (handle: typeof ours.handle): Mutex | RecursiveMutex =>
    (Kind as typeof Mutex).from(handle as Mutex['handle']);
  return { ours, theirs: others.map((agent) => openAs(agent, ours.handle, from)) };
};

/**
 * Unlocks and locks until the mutex is handed to a waiter. Each pass takes `passMs`. Returns the time that this took.
 */
function runOn(mutex: Mutex | RecursiveMutex, passMs: number): number {
  const began = clock;
  do {
    clock += passMs;
    mutex.unlock();
  } while (mutex.tryLock());
  return clock - began;
}

/**
 * Each other agent waits, and locks repeatedly in its turn. Meanwhile this agent does the same, and waits behind them.
 * Returns the agents in the order of service, and the lengths of their turns.
 */
async function round(
  ours: Mutex | RecursiveMutex,
  theirs: readonly (Mutex | RecursiveMutex)[],
  passMs: number,
): Promise<{ served: number[]; turns: number[] }> {
  ours.lock();
  const served: number[] = [];
  const turns: number[] = [];
  const waits = theirs.map(async (lock, index) => {
    await lock.lockAsync();
    served.push(index);
    // Only this agent waits behind the last agent.
    turns.push(runOn(lock, passMs));
  });
  turns.unshift(runOn(ours, passMs));
  const last = ours.lockAsync();
  await Promise.all([...waits, last]);
  ours.unlock();
  return { served, turns };
}

describe.each([Mutex, RecursiveMutex])('%o', (Kind) => {
  test('the running agent locks the mutex again past waiters, for at most one turn', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    const took = runOn(ours, TURN_MS / 20);
    expect(took).toBeGreaterThan(TURN_MS / 20);
    expect(took).toBeLessThan(2 * TURN_MS);
    await wait;
    expect(theirs[0]?.owned).toBe(true);
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
  });

  test.each([TURN_MS / 500, TURN_MS / 20, TURN_MS, 10 * TURN_MS])(
    'a waiter with w waiters before it gets the mutex after w + 1 turns, in the order of arrival, with passes of %d ms',
    async (passMs) => {
      const { ours, theirs } = create(Kind);
      // The first turns measure how many passes fit in a turn.
      for (let rounds = 0; rounds < 40; rounds++) await round(ours, theirs, passMs);
      const { served, turns } = await round(ours, theirs, passMs);
      expect(served).toEqual([0, 1, 2]);
      expect(turns).toHaveLength(theirs.length + 1);
      // A turn ends with the pass in which its time expires.
      for (const took of turns) expect(took).toBeLessThan(TURN_MS + 2 * passMs);
      expectAtRest(arena, ours.handle);
    },
  );

  test('an agent waits while another agent locks repeatedly in its turn, and takes the mutex once that agent leaves it free', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    ours.unlock();
    const { address, tag } = ours.handle;
    const context = contextOf(others[1] ?? arena);
    const { words, agent, id } = context;
    const kernel = context.kernel as MutexKernel;
    context.refill();
    const visit = (seen: number): number => kernel.enqueueAtMutex(asLine(address), tag, agent, 1, seen);
    expect(kernel.lockMutex(asLine(address), tag, id)).toBe(WAITING);
    expect(visit(NOT_SEEN)).toBe(RACED);
    const seen = words.get32(address + TURN);
    expect(visit(seen)).toBe(TAKEN);
    expect(theirs[1]?.owned).toBe(true);
    theirs[1]?.unlock();
    // Now it is the other agent's turn. This agent locks again and unlocks.
    expect(ours.tryLock()).toBe(true);
    const before = words.get32(address + TURN);
    ours.unlock();
    ours.lock();
    ours.unlock();
    const drawn = visit(before);
    expect(isElement(drawn)).toBe(true);
    await wait;
    theirs[0]?.unlock();
    // The waiter is the successor, and then the mutex becomes free.
    expect([kernel.pollMutex(asElement(drawn)), kernel.pollMutex(asElement(drawn))]).toEqual([WAITING, TAKEN]);
    context.keep(asElement(drawn));
    theirs[1]?.unlock();
    expectAtRest(arena, ours.handle);
  });

  test.each([
    { passes: 0, takes: true },
    { passes: 1, takes: false },
    { passes: 20, takes: false },
  ])(
    'an agent that finds the mutex free in a turn of $passes passes so far takes it: $takes',
    async ({ passes, takes }) => {
      const { ours, theirs } = create(Kind);
      // The first turns measure how many passes fit in a turn.
      for (let rounds = 0; rounds < 40; rounds++) await round(ours, theirs, TURN_MS / 500);
      ours.lock();
      const wait = theirs[0]?.lockAsync().then(() => theirs[0]?.unlock());
      ours.unlock();
      for (let pass = 0; pass < passes; pass++) {
        ours.lock();
        clock += TURN_MS / 500;
        ours.unlock();
      }
      const context = contextOf(others[1] ?? arena);
      const kernel = context.kernel as MutexKernel;
      const address = asLine(ours.handle.address);
      const { tag } = ours.handle;
      context.refill();
      const visit = (seen: number): number => kernel.enqueueAtMutex(address, tag, context.agent, 1, seen);
      expect(visit(NOT_SEEN)).toBe(RACED);
      const drawn = visit(turnToTake(openPrimitive(ours.handle, Kind === Mutex ? MUTEX : RECURSIVE_MUTEX)));
      expect(drawn === TAKEN).toBe(takes);
      if (takes) theirs[1]?.unlock();
      await wait;
      if (!takes) {
        // The waiter is the successor, and then the mutex becomes free.
        expect([kernel.pollMutex(asElement(drawn)), kernel.pollMutex(asElement(drawn))]).toEqual([WAITING, TAKEN]);
        context.keep(asElement(drawn));
        theirs[1]?.unlock();
      }
      expectAtRest(arena, ours.handle);
    },
  );

  test.each([1, 2])(
    'an agent does not take a turn in which passes happened before and between its attempts: %d before',
    async (passes) => {
      const { ours, theirs } = create(Kind);
      // The first turns measure how many passes fit in a turn.
      for (let rounds = 0; rounds < 40; rounds++) await round(ours, theirs, TURN_MS / 500);
      const pass = (): void => {
        ours.lock();
        clock += TURN_MS / 500;
        ours.unlock();
      };
      ours.lock();
      const wait = theirs[0]?.lockAsync().then(() => theirs[0]?.unlock());
      ours.unlock();
      for (let count = 0; count < passes; count++) pass();
      const context = contextOf(others[1] ?? arena);
      const kernel = context.kernel as MutexKernel;
      const { address, tag } = ours.handle;
      context.refill();
      const seen = turnToTake(openPrimitive(ours.handle, Kind === Mutex ? MUTEX : RECURSIVE_MUTEX));
      pass();
      const drawn = kernel.enqueueAtMutex(asLine(address), tag, context.agent, 1, seen);
      expect(isElement(drawn)).toBe(true);
      await wait;
      // The waiter is the successor, and then the mutex becomes free.
      expect([kernel.pollMutex(asElement(drawn)), kernel.pollMutex(asElement(drawn))]).toEqual([WAITING, TAKEN]);
      context.keep(asElement(drawn));
      theirs[1]?.unlock();
      expectAtRest(arena, ours.handle);
    },
  );

  test('a turn continues for its agent after an agent with the same low bits of its id has allowed more passes in it', async () => {
    const { ours, theirs } = create(Kind);
    const ref = openPrimitive(ours.handle, Kind === Mutex ? MUTEX : RECURSIVE_MUTEX);
    const {
      address,
      context: { agent, id, kernel: steps, words },
    } = ref;
    const kernel = steps as MutexKernel;
    const turn = new OwnTurn(ref, MUTEX_TRAITS);
    const leave = (): void => turn.leave((ends) => kernel.handOverMutex(address, agent, id, ends));
    ours.lock();
    const wait = theirs[0]?.lockAsync().then(() => theirs[0]?.unlock());
    leave();
    const begun = words.get32(address + TURN);
    ours.lock();
    words.put32(address + TURN, (begun & ~PASSES_LEFT) | 100);
    leave();
    expect(words.get32(address + TURN) & ~PASSES_LEFT).toBe(begun & ~PASSES_LEFT);
    expect(words.get32(address + TURN) & PASSES_LEFT).toBeLessThan(100);
    await wait;
    expectAtRest(arena, ours.handle);
  });

  test.each([
    { passes: 0, naps: [] },
    { passes: 20, naps: [LINKED] },
  ])(
    'a blocking successor that finds the mutex free in a turn of $passes passes so far sleeps before its next attempt: $naps',
    async ({ passes, naps }) => {
      const { ours, theirs } = create(Kind);
      for (let rounds = 0; rounds < 40; rounds++) await round(ours, theirs, TURN_MS / 500);
      const context = contextOf(others[1] ?? arena);
      const kernel = context.kernel as MutexKernel;
      const { address, tag } = ours.handle;
      ours.lock();
      context.refill();
      const drawn = asElement(kernel.enqueueAtMutex(asLine(address), tag, context.agent, 1, NOT_SEEN));
      context.begin(drawn, 0, MODE_BLOCKING);
      ours.unlock();
      for (let pass = 0; pass < passes; pass++) {
        ours.lock();
        clock += TURN_MS / 500;
        ours.unlock();
      }
      const slept = vi
        .spyOn(context.parking, 'wait')
        .mockImplementation((_, gate) => (gate === PARKED ? 'not-equal' : 'timed-out'));
      const at = context.lineState(asLine(address), tag, { recorded: false });
      expect(sleepInLine(context, at, drawn, { ...DEFAULT_POLICY, spinMicros: 0 }, Infinity)).toBe(TAKEN);
      expect(slept.mock.calls.map(([, gate]) => gate).filter((gate) => gate !== PARKED)).toEqual(naps);
      context.keep(drawn);
      theirs[1]?.unlock();
      expectAtRest(arena, ours.handle);
    },
  );

  test('an agent that unlocks and does not come back leaves the mutex to the waiter at once', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    ours.unlock();
    await wait;
    expect(theirs[0]?.owned).toBe(true);
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('inspect() and arena.inspect() list a successor that has not seen its grant yet as a waiter, not as a second holder', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    const them = others[0]?.agentId;
    for (const owner of [0, arena.agentId]) {
      if (owner === 0) ours.unlock();
      else ours.lock();
      expect(ours.inspect()).toMatchObject({ owner, waiters: [{ agent: them }] });
      expect(arena.inspect().agents.find(({ agent }) => agent === them)).toMatchObject({
        holds: [],
        waits: [{ kind: 'lock' }],
      });
    }
    ours.unlock();
    await wait;
    expect(arena.inspect().agents.find(({ agent }) => agent === them)).toMatchObject({
      holds: [{ kind: 'lock' }],
      waits: [],
    });
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('lock() of the owner in its turn throws, unless the mutex is recursive', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    ours.unlock();
    ours.lock();
    if (Kind === Mutex) expect(() => ours.lock()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    else ours.lock();
    expect(ours.inspect().depth).toBe(Kind === Mutex ? 1 : 2);
    if (Kind !== Mutex) ours.unlock();
    ours.unlock();
    await wait;
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a waiter that is cancelled during a turn leaves no trace', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const stop = new AbortController();
    const wait = theirs[0]?.lockAsync({ signal: stop.signal }).catch((reason: unknown) => reason);
    ours.unlock();
    ours.lock();
    stop.abort('enough');
    expect(await wait).toBe('enough');
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('free() throws while an agent waits, even in a turn, when the mutex itself is free', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    ours.unlock();
    expect(() => ours.free()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    await wait;
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
    ours.free();
  });

  test('create() with an order that does not exist throws a TypeError', () => {
    expect(() => Kind.create({ arena, order: 'lifo' as never })).toThrow(
      /order must be 'turns' or 'fifo': received "lifo"/,
    );
    expect(() => Kind.create({ arena, order: null as never })).toThrow(TypeError);
  });
});

// Calls of an agent that owns a recursive mutex lock it again instead of waiting.
describe.each([Mutex])('async calls of one thread at %o', (Kind) => {
  /**
   * Starts `count` calls of an agent, and notes its name when they run. Each takes `passMs`. `open` returns the object of
   * one call.
   */
  const start = (
    given: Mutex | RecursiveMutex,
    count: number,
    served: string[],
    name: string,
    passMs: number,
    open = (): Mutex | RecursiveMutex => given,
  ): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, async (_, call) => {
        const mutex = open();
        await mutex.lockAsync();
        served.push(`${name}${call}`);
        clock += passMs;
        mutex.unlock();
      }),
    );

  test('the calls go on within a turn, past a waiter of another agent, and notify no agent', async () => {
    const { ours, theirs } = create(Kind);
    const [other] = theirs;
    if (other === undefined) throw new Error('There is another agent.');
    const served: string[] = [];
    ours.lock();
    const first = start(ours, 1, served, 'a', 0);
    const theirCalls = start(other, 1, served, 'b', 0);
    const more = start(ours, 3, served, 'c', 0);
    const notified = vi.spyOn(Atomics, 'notify');
    ours.unlock();
    await Promise.resolve();
    // Only this agent's own sleeping wait is told that it is over.
    expect(notified.mock.calls.length).toBeLessThanOrEqual(1);
    await Promise.all([first, theirCalls, more]);
    expect(served).toEqual(['a0', 'c0', 'c1', 'c2', 'b0']);
    expectAtRest(arena, ours.handle);
  });

  test.each([TURN_MS / 4, TURN_MS, 10 * TURN_MS])(
    'after half a millisecond the waiter of another agent gets the mutex, with calls of %d ms',
    async (passMs) => {
      const { ours, theirs } = create(Kind);
      const [other] = theirs;
      if (other === undefined) throw new Error('There is another agent.');
      const served: string[] = [];
      ours.lock();
      const first = start(ours, 2, served, 'a', passMs);
      const theirCalls = start(other, 2, served, 'b', passMs);
      const more = start(ours, 8, served, 'c', passMs);
      ours.unlock();
      await Promise.all([first, theirCalls, more]);
      expect(served).toHaveLength(12);
      // The two calls before it may take a turn each.
      const passes = Math.ceil(TURN_MS / passMs);
      expect(served.indexOf('b0')).toBeLessThanOrEqual(2 * (passes + 1) + passes);
      for (const name of ['a', 'b', 'c'])
        expect(served.filter((each) => each.startsWith(name))).toEqual(
          served.filter((each) => each.startsWith(name)).toSorted(),
        );
      expectAtRest(arena, ours.handle);
    },
  );

  test('the turn ends after half a millisecond, if each call opens the mutex for itself, too', async () => {
    const { ours, theirs } = create(Kind);
    const [other] = theirs;
    if (other === undefined) throw new Error('There is another agent.');
    const served: string[] = [];
    const open = (): Mutex => Mutex.from(ours.handle as Mutex['handle']);
    ours.lock();
    const first = start(ours, 2, served, 'a', TURN_MS / 4, open);
    const theirCalls = start(other, 1, served, 'b', TURN_MS / 4);
    const more = start(ours, 20, served, 'c', TURN_MS / 4, open);
    ours.unlock();
    await Promise.all([first, theirCalls, more]);
    // As above: two calls before it may take a turn of four passes each.
    expect(served.indexOf('b0')).toBeLessThanOrEqual(14);
    expectAtRest(arena, ours.handle);
  });

  test('a call that the turn passed the mutex to is not aborted any more, and one behind it is', async () => {
    const { ours, theirs } = create(Kind);
    const stop = new AbortController();
    ours.lock();
    const outcomes: unknown[] = [];
    const call = (): Promise<void> =>
      ours.lockAsync({ signal: stop.signal }).then(
        () => void outcomes.push('locked'),
        (reason: unknown) => void outcomes.push(reason),
      );
    const calls = [call(), call()];
    const theirCall = theirs[0]?.lockAsync();
    ours.unlock();
    stop.abort('enough');
    await Promise.all(calls);
    expect(outcomes.toSorted()).toEqual(['enough', 'locked']);
    expect(ours.owned).toBe(true);
    ours.unlock();
    await theirCall;
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('1,000 calls run in order, and other callbacks of the event loop run between them', async () => {
    const { ours } = create(Kind);
    const served: string[] = [];
    const before: number[] = [];
    let isOver = false;
    const count = (): void => {
      before.push(served.length);
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    ours.lock();
    const calls = start(ours, 1000, served, '', 0);
    ours.unlock();
    await calls;
    isOver = true;
    expect(served).toEqual(Array.from({ length: 1000 }, (_, call) => String(call)));
    const each = before.map((total, turn) => total - (before[turn - 1] ?? 0));
    // At most 256 calls run in one callback. A wake-up of a call may come between two looks, too.
    expect(Math.max(...each)).toBeLessThanOrEqual(2 * 256);
    expectAtRest(arena, ours.handle);
  });

  test('a call that waits for a condition leaves the mutex to the call behind it', async () => {
    const { ours } = create(Kind);
    const condition = Condition.create(ours);
    const served: string[] = [];
    ours.lock();
    const waits = ours.lockAsync().then(async () => {
      served.push('waits');
      await condition.waitAsync();
      served.push('notified');
      ours.unlock();
    });
    const notifies = ours.lockAsync().then(() => {
      served.push('notifies');
      condition.notify();
      ours.unlock();
    });
    ours.unlock();
    await Promise.all([waits, notifies]);
    expect(served).toEqual(['waits', 'notifies', 'notified']);
    expectAtRest(arena, ours.handle);
    condition.free();
  });
});

test('the number of passes per turn stays the same while turns take about the intended time', () => {
  expect(adapted(1000, 1000, 0.8 * TURN_MS)).toBe(1000);
  expect(adapted(1000, 1000, 0.9 * TURN_MS)).toBe(1000);
  expect(adapted(1000, 1000, 2 * TURN_MS)).toBeLessThan(1000);
  expect(adapted(1000, 1000, TURN_MS / 2)).toBeGreaterThan(1000);
});
