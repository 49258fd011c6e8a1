// Tests agents of one thread that block on each other's locks. Each agent blocks while the previous one sleeps.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { records } from '../src/memory/records.ts';
import { Semaphore, type DeadlockedAgent } from '../src/index.ts';
import { HEADER_ELEMENT_POOL, MODE_BLOCKING } from '../src/kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND } from '../src/kernel/states.ts';
import { blockAll, Knot, type KnotAgent } from './support/knot.ts';
import { asElement, asLine } from '../src/kernel/addresses.ts';

type Found = DeadlockedAgent[] | undefined;

/** Returns the deadlocks that are found while all agents sleep. */
function found(knot: Knot, ...calls: readonly (readonly [agent: KnotAgent, call: () => unknown])[]): Found {
  return blockAll(calls, () => knot.watcher.arena.findDeadlock());
}

/** Returns the cycle as a list that begins with its smallest agent. */
function circle(found: Found): readonly (readonly [agent: number, name: string, owner: number])[] {
  const all = (found ?? []).map(({ agent, waitsFor, ownedBy }) => [agent, waitsFor.name, ownedBy] as const);
  const first = all.findIndex(([agent]) => agent === Math.min(...all.map(([agent]) => agent)));
  return [...all.slice(first), ...all.slice(0, first)];
}

test('findDeadlock() reports two agents that block on each other’s locks, with the locks and the start of their waits', () => {
  const knot = new Knot(['fork', 'spoon']);
  const [ann, bob] = [knot.join(), knot.join()];
  ann.lock('fork').lock();
  bob.lock('spoon').lock();
  const before = knot.world.lot.clock;
  const agents = found(knot, [ann, () => ann.lock('spoon').lock()], [bob, () => bob.lock('fork').lock()]);
  expect(circle(agents)).toEqual([
    [ann.id, 'spoon', bob.id],
    [bob.id, 'fork', ann.id],
  ]);
  for (const { agent, waitsFor, since } of agents ?? []) {
    expect(waitsFor.address).toBe(knot.address(agent === ann.id ? 'spoon' : 'fork'));
    expect(since).toBeGreaterThanOrEqual(1e12 + before);
    expect(since).toBeLessThanOrEqual(1e12 + Math.ceil(knot.world.lot.clock));
  }
});

test('findDeadlock() reports three agents in the order of the cycle, without the agents that wait for them', () => {
  const knot = new Knot(['a', 'b', 'c', 'd']);
  const [one, two, three, outside] = [knot.join(), knot.join(), knot.join(), knot.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  three.lock('c').lock();
  outside.lock('d').lock();
  const agents = found(
    knot,
    [outside, () => outside.lock('a').lock()],
    [one, () => one.lock('b').lock()],
    [two, () => two.lock('c').hold()],
    [three, () => three.lock('a').lock()],
  );
  expect(circle(agents)).toEqual([
    [one.id, 'b', two.id],
    [two.id, 'c', three.id],
    [three.id, 'a', one.id],
  ]);
});

test('a wait with a timeout closes a cycle, and so does any lock of an agent that owns several', () => {
  const knot = new Knot(['a', 'b', 'c']);
  const [one, two] = [knot.join(), knot.join()];
  for (const name of ['a', 'b']) one.lock(name).lock();
  two.lock('c').lock();
  const agents = found(knot, [one, () => one.lock('c').tryLock(10)], [two, () => two.lock('b').run(() => 0)]);
  expect(circle(agents)).toEqual([
    [one.id, 'c', two.id],
    [two.id, 'b', one.id],
  ]);
});

test('every agent of an arena finds the same cycle, even an agent in the cycle', () => {
  const knot = new Knot(['a', 'b']);
  const [one, two] = [knot.join(), knot.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const calls = [
    [one, () => one.lock('b').lock()],
    [two, () => two.lock('a').lock()],
  ] as const;
  const [ours, theirs] = blockAll(calls, () => [knot.watcher, two].map(({ arena }) => arena.findDeadlock()));
  expect(circle(ours)).toHaveLength(2);
  expect(theirs).toEqual(ours);
});

test('a chain of agents that ends with an agent that does not wait is no deadlock', () => {
  const knot = new Knot(['a', 'b', 'c']);
  const [one, two, three] = [knot.join(), knot.join(), knot.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  three.lock('c').lock();
  expect(found(knot, [one, () => one.lock('b').lock()], [two, () => two.lock('c').lock()])).toBeUndefined();
  expect(knot.watcher.arena.findDeadlock()).toBeUndefined();
});

test('agents that wait for each other’s permits are in no deadlock, since any agent may release', () => {
  const knot = new Knot([]);
  const [one, two] = [knot.join(), knot.join()];
  const [first, second] = [1, 2].map((permits) => Semaphore.create(permits, { arena: knot.watcher.arena }));
  if (first === undefined || second === undefined) throw new Error('no semaphores');
  one.semaphore(first).acquire();
  two.semaphore(second).acquire(2);
  const calls = [
    [one, () => one.semaphore(second).acquire()],
    [two, () => two.semaphore(first).acquire()],
  ] as const;
  expect(found(knot, ...calls)).toBeUndefined();
});

test('an async wait closes no cycle, since its agent can still act', () => {
  const knot = new Knot(['a', 'b']);
  const [one, two] = [knot.join(), knot.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  one
    .lock('b')
    .lockAsync({ ref: false })
    .catch(() => undefined);
  expect(found(knot, [two, () => two.lock('a').lock()])).toBeUndefined();
});

test('an agent that was granted the lock and still sleeps no longer waits for it', () => {
  const knot = new Knot(['a', 'b']);
  const [one, two] = [knot.join(), knot.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const takeTurns = (): void => {
    two.lock('b').unlock();
    two.lock('a').lock();
  };
  expect(found(knot, [one, () => one.lock('b').lock()], [two, takeTurns])).toBeUndefined();
});

/**
 * Returns the result of `findDeadlock` if an agent cancels, takes `a`, and another agent begins to wait for it, all at
 * the given check.
 */
function whileItChanges(look: number): { found: Found; changed: boolean } {
  const knot = new Knot(['a', 'b']);
  const [one, two] = [knot.join(), knot.join()];
  two.lock('b').lock();
  let looks = 0;
  const change = (): void => {
    if (looks++ !== look) return;
    const { words, kernel, agent } = one.context;
    const [wait] = [...records(words, HEADER_ELEMENT_POOL)].filter(({ owner }) => owner === one.id);
    expect(kernel.leave(agent, asElement(wait?.record ?? 0), 0, 0)).toBe(CANCELLED_LEFT_BEHIND);
    one.context.finishWalk();
    one.lock('a').lock();
    const [address, tag] = [knot.address('a'), knot.tag('a')];
    two.context.begin(
      asElement(two.context.kernel.acquire(asLine(address), tag, 0, 1, two.context.agent)),
      0,
      MODE_BLOCKING,
    );
  };
  const seen = blockAll([[one, () => one.lock('b').lock()]], () => {
    knot.watcher.life.between = change;
    return knot.watcher.arena.findDeadlock();
  });
  return { found: seen, changed: looks > look };
}

test('waits that never existed at the same time are no deadlock, at whichever check they change', () => {
  let looks = 0;
  for (let changed = true; changed; looks++) {
    const outcome = whileItChanges(looks);
    expect(outcome.found, `changed at check ${looks}`).toBeUndefined();
    changed = outcome.changed;
  }
  expect(looks).toBeGreaterThan(10);
});

test('a cycle is gone when one of its agents has died and was recovered', async () => {
  const knot = new Knot(['a', 'b']);
  const [one, two] = [knot.join(), knot.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const agents = found(knot, [one, () => one.lock('b').lock()], [two, () => two.lock('a').lock()]);
  expect(agents).toHaveLength(2);
  two.life.die();
  knot.watcher.arena.reclaim(two.id);
  await knot.world.settle();
  expect(knot.watcher.arena.findDeadlock()).toBeUndefined();
});

test('inspect() reports what each agent of a deadlock holds and waits for', () => {
  const knot = new Knot(['a', 'b']);
  const [one, two] = [knot.join(), knot.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const calls = [
    [one, () => one.lock('b').lock()],
    [two, () => two.lock('a').lock()],
  ] as const;
  const agents = blockAll(calls, () => knot.watcher.arena.inspect().agents);
  const [a, b] = ['a', 'b'].map((name) => ({ kind: 'lock', name, address: knot.address(name), permits: 1 }));
  const blocking = { how: 'blocking', since: expect.any(Number) as number };
  expect(agents.filter(({ agent }) => agent !== knot.watcher.context.id)).toMatchObject([
    { agent: one.id, holds: [a], waits: [{ ...b, ...blocking }] },
    { agent: two.id, holds: [b], waits: [{ ...a, ...blocking }] },
  ]);
});
