// Tests lock() in the turn of another agent by an agent without a spare element: an async wait of the agent uses that
// element, or the arena is full.

import { Arena, Semaphore } from '@sluice/core';
import { describe, expect, test, vi } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { asElement, asLine, type ElementAddress } from '../../core/src/kernel/addresses.ts';
import { AGENT_SPARE, AGENT_STUB, LIMIT, MODE_BLOCKING, NOT_SEEN, SUCCEEDS } from '../../core/src/kernel/layout.ts';
import { PARKED, TAKEN, WAITING } from '../../core/src/kernel/states.ts';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { POLICY } from '../../core/test/support/functions-of.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';
import type { MutexKernel } from '../src/kinds.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

type Lock = Mutex | RecursiveMutex;
/** More sleeps than any wait of these tests needs. */
const MAX_SLEEPS = 20;

const open = (Kind: typeof Mutex | typeof RecursiveMutex, agent: Arena, { handle }: Lock): Lock =>
  openAs(agent, handle, (found) => (Kind as typeof Mutex).from(found as Mutex['handle'], { policy: POLICY }));

/**
 * Lets the owner unlock while an agent waits, and lock and unlock once more. Then the mutex is free in the owner's
 * turn, and other agents do not take the turn over.
 */
function leaveFreeInTurn(ours: Lock): void {
  contextOf(ours.arena).words.put32(ours.handle.address + LIMIT, 1000);
  ours.unlock();
  ours.lock();
  ours.unlock();
}

/** Returns an element that an agent keeps beside its spare one. Its last waiter was the successor. */
function keepUsedElement(agent: Arena): void {
  const context = contextOf(agent);
  context.refill();
  const element = context.takeElement(MODE_BLOCKING);
  context.words.put32(element + SUCCEEDS, 1);
  context.keep(element);
}

/** Draws a ticket for a blocking waiter, without the sleep. */
function drawTicket(agent: Arena, { address, tag }: Lock['handle']): ElementAddress {
  const context = contextOf(agent);
  context.refill();
  const drawn = asElement(
    (context.kernel as MutexKernel).enqueueAtMutex(asLine(address), tag, context.agent, 1, NOT_SEEN),
  );
  context.begin(drawn, 0, MODE_BLOCKING);
  return drawn;
}

describe.each([Mutex, RecursiveMutex])('%o', (Kind) => {
  test('an agent whose async wait uses its spare element waits behind the successor', async () => {
    const arena = Arena.create({ maxPages: 16 });
    const [first, second] = [secondAgent(arena), secondAgent(arena)];
    const ours = Kind.create({ arena, policy: POLICY });
    const [firsts, seconds] = [open(Kind, first, ours), open(Kind, second, ours)];
    ours.lock();
    const successor = drawTicket(first, ours.handle);
    leaveFreeInTurn(ours);
    keepUsedElement(second);
    const stop = new AbortController();
    const never = openAs(second, Semaphore.create(0, { arena }).handle, (handle) => Semaphore.from(handle));
    const pending = never.acquireAsync(1, { signal: stop.signal }).catch((reason: unknown) => reason);
    const { agent, parking, words } = contextOf(second);
    expect(words.get32(agent + AGENT_SPARE)).toBe(0);
    const served: string[] = [];
    let sleeps = 0;
    vi.spyOn(parking, 'wait').mockImplementation((_, gate) => {
      sleeps += 1;
      if (sleeps > MAX_SLEEPS) throw new Error('no unlock wakes the waiter');
      // Until then the mutex is free, and the waiter wakes at intervals.
      if (sleeps === 4) {
        const { kernel } = contextOf(first);
        const poll = (): number => (kernel as MutexKernel).pollMutex(successor);
        expect([poll(), poll()]).toEqual([WAITING, TAKEN]);
        contextOf(first).keep(successor);
        served.push('the successor');
        firsts.unlock();
      }
      return gate === PARKED ? 'ok' : 'timed-out';
    });
    seconds.lock();
    served.push('the waiter');
    expect(seconds.owned).toBe(true);
    seconds.unlock();
    expect(served).toEqual(['the successor', 'the waiter']);
    stop.abort('enough');
    expect(await pending).toBe('enough');
    expectAtRest(arena, ours.handle);
  });

  test('lock() of an agent for which a full arena has no element throws before the agent is counted', async () => {
    const stop = new AbortController();
    const { arena, prepared } = fullArena((arena) => {
      const ours = Kind.create({ arena });
      const [theirs, refused] = [open(Kind, secondAgent(arena), ours), open(Kind, secondAgent(arena), ours)];
      const never = Semaphore.create(0, { arena });
      ours.lock();
      const wait = theirs.lockAsync();
      const others = Array.from({ length: 15 }, () =>
        never.acquireAsync(1, { signal: stop.signal }).catch((reason: unknown) => reason),
      );
      return { ours, theirs, refused, wait, others };
    });
    const { ours, theirs, refused, wait, others } = prepared;
    expect(arena.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
    leaveFreeInTurn(ours);
    const before = [ours.inspect(), officeAt(arena, ours.handle.address)];
    for (const call of [() => refused.lock(), () => refused.run(() => 0)])
      expect(call).toThrow(expect.objectContaining(FULL) as Error);
    expect(withoutAges([ours.inspect(), officeAt(arena, ours.handle.address)])).toEqual(withoutAges(before));
    await wait;
    theirs.unlock();
    stop.abort('enough');
    expect(new Set(await Promise.all(others))).toEqual(new Set(['enough']));
    expectAtRest(arena, ours.handle);
  });
});

test('a ticket that moves from the stub to an element leaves no trace of the last waiter of that element', () => {
  const arena = Arena.create({ maxPages: 16 });
  const other = secondAgent(arena);
  const ours = Mutex.create({ arena, policy: POLICY });
  open(Mutex, other, ours);
  const context = contextOf(other);
  keepUsedElement(other);
  context.words.put32(context.agent + AGENT_SPARE, 0);
  ours.lock();
  const { address, tag } = ours.handle;
  const kernel = context.kernel as MutexKernel;
  const stub = kernel.enqueueAtMutex(asLine(address), tag, context.agent, 1, NOT_SEEN);
  expect(stub).toBe(context.agent + AGENT_STUB);
  const element = asElement(context.begin(asElement(stub), 0, MODE_BLOCKING));
  expect(element).not.toBe(stub);
  expect(kernel.pollMutex(element)).toBe(WAITING);
  expect(context.words.get32(element + SUCCEEDS)).toBe(0);
  ours.unlock();
  expect([kernel.pollMutex(element), kernel.pollMutex(element)]).toEqual([WAITING, TAKEN]);
});
