// Tests agents of one thread that block on each other's locks. Each agent blocks while the previous one sleeps.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { records } from '../src/memory/records.ts';
import { Semaphore, type DeadlockedAgent } from '../src/index.ts';
import { HEADER_ELEMENT_POOL, MODE_BLOCKING } from '../src/kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND } from '../src/kernel/states.ts';
import { blockAll, DeadlockFixture, type DeadlockAgent } from './support/deadlock-fixture.ts';
import { asElement, asLine } from '../src/kernel/addresses.ts';

type Found = DeadlockedAgent[] | undefined;

/** Returns the deadlocks that are found while all agents sleep. */
function found(
  fixture: DeadlockFixture,
  ...calls: readonly (readonly [agent: DeadlockAgent, call: () => unknown])[]
): Found {
  return blockAll(calls, () => fixture.watcher.arena.findDeadlock());
}

/** Returns the cycle as a list that begins with its smallest agent. */
function circle(found: Found): readonly (readonly [agent: number, name: string, owner: number])[] {
  const all = (found ?? []).map(({ agent, waitsFor, ownedBy }) => [agent, waitsFor.name, ownedBy] as const);
  const first = all.findIndex(([agent]) => agent === Math.min(...all.map(([agent]) => agent)));
  return [...all.slice(first), ...all.slice(0, first)];
}

test('findDeadlock() reports two agents that block on each other’s locks, with the locks and the start of their waits', () => {
  const fixture = new DeadlockFixture(['fork', 'spoon']);
  const [ann, bob] = [fixture.join(), fixture.join()];
  ann.lock('fork').lock();
  bob.lock('spoon').lock();
  const before = fixture.world.lot.clock;
  const agents = found(fixture, [ann, () => ann.lock('spoon').lock()], [bob, () => bob.lock('fork').lock()]);
  expect(circle(agents)).toEqual([
    [ann.id, 'spoon', bob.id],
    [bob.id, 'fork', ann.id],
  ]);
  for (const { agent, waitsFor, since } of agents ?? []) {
    expect(waitsFor.address).toBe(fixture.address(agent === ann.id ? 'spoon' : 'fork'));
    expect(since).toBeGreaterThanOrEqual(1e12 + before);
    expect(since).toBeLessThanOrEqual(1e12 + Math.ceil(fixture.world.lot.clock));
  }
});

test('findDeadlock() reports three agents in the order of the cycle, without the agents that wait for them', () => {
  const fixture = new DeadlockFixture(['a', 'b', 'c', 'd']);
  const [one, two, three, outside] = [fixture.join(), fixture.join(), fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  three.lock('c').lock();
  outside.lock('d').lock();
  const agents = found(
    fixture,
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
  const fixture = new DeadlockFixture(['a', 'b', 'c']);
  const [one, two] = [fixture.join(), fixture.join()];
  for (const name of ['a', 'b']) one.lock(name).lock();
  two.lock('c').lock();
  const agents = found(fixture, [one, () => one.lock('c').tryLock(10)], [two, () => two.lock('b').run(() => 0)]);
  expect(circle(agents)).toEqual([
    [one.id, 'c', two.id],
    [two.id, 'b', one.id],
  ]);
});

test('every agent of an arena finds the same cycle, even an agent in the cycle', () => {
  const fixture = new DeadlockFixture(['a', 'b']);
  const [one, two] = [fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const calls = [
    [one, () => one.lock('b').lock()],
    [two, () => two.lock('a').lock()],
  ] as const;
  const [ours, theirs] = blockAll(calls, () => [fixture.watcher, two].map(({ arena }) => arena.findDeadlock()));
  expect(circle(ours)).toHaveLength(2);
  expect(theirs).toEqual(ours);
});

test('a chain of agents that ends with an agent that does not wait is no deadlock', () => {
  const fixture = new DeadlockFixture(['a', 'b', 'c']);
  const [one, two, three] = [fixture.join(), fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  three.lock('c').lock();
  expect(found(fixture, [one, () => one.lock('b').lock()], [two, () => two.lock('c').lock()])).toBeUndefined();
  expect(fixture.watcher.arena.findDeadlock()).toBeUndefined();
});

test('agents that wait for each other’s permits are in no deadlock, since any agent may release', () => {
  const fixture = new DeadlockFixture([]);
  const [one, two] = [fixture.join(), fixture.join()];
  const [first, second] = [1, 2].map((permits) => Semaphore.create(permits, { arena: fixture.watcher.arena }));
  if (first === undefined || second === undefined) throw new Error('no semaphores');
  one.semaphore(first).acquire();
  two.semaphore(second).acquire(2);
  const calls = [
    [one, () => one.semaphore(second).acquire()],
    [two, () => two.semaphore(first).acquire()],
  ] as const;
  expect(found(fixture, ...calls)).toBeUndefined();
});

test('an async wait closes no cycle, since its agent can still act', () => {
  const fixture = new DeadlockFixture(['a', 'b']);
  const [one, two] = [fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  one
    .lock('b')
    .lockAsync({ ref: false })
    .catch(() => undefined);
  expect(found(fixture, [two, () => two.lock('a').lock()])).toBeUndefined();
});

test('an agent that was granted the lock and still sleeps no longer waits for it', () => {
  const fixture = new DeadlockFixture(['a', 'b']);
  const [one, two] = [fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const takeTurns = (): void => {
    two.lock('b').unlock();
    two.lock('a').lock();
  };
  expect(found(fixture, [one, () => one.lock('b').lock()], [two, takeTurns])).toBeUndefined();
});

/**
 * Returns the result of `findDeadlock` if an agent cancels, takes `a`, and another agent begins to wait for it, all at
 * the given check.
 */
function whileItChanges(look: number): { found: Found; changed: boolean } {
  const fixture = new DeadlockFixture(['a', 'b']);
  const [one, two] = [fixture.join(), fixture.join()];
  two.lock('b').lock();
  let looks = 0;
  const change = (): void => {
    if (looks++ !== look) return;
    const { words, kernel, agent } = one.context;
    const [wait] = [...records(words, HEADER_ELEMENT_POOL)].filter(({ owner }) => owner === one.id);
    expect(kernel.cancelWait(agent, asElement(wait?.record ?? 0), 0, 0)).toBe(CANCELLED_LEFT_BEHIND);
    one.context.finishWalk();
    one.lock('a').lock();
    const [address, tag] = [fixture.address('a'), fixture.tag('a')];
    two.context.begin(
      asElement(two.context.kernel.acquire(asLine(address), tag, 0, 1, two.context.agent)),
      0,
      MODE_BLOCKING,
    );
  };
  const seen = blockAll([[one, () => one.lock('b').lock()]], () => {
    fixture.watcher.life.between = change;
    return fixture.watcher.arena.findDeadlock();
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
  const fixture = new DeadlockFixture(['a', 'b']);
  const [one, two] = [fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const agents = found(fixture, [one, () => one.lock('b').lock()], [two, () => two.lock('a').lock()]);
  expect(agents).toHaveLength(2);
  two.life.die();
  fixture.watcher.arena.reclaim(two.id);
  await fixture.world.settle();
  expect(fixture.watcher.arena.findDeadlock()).toBeUndefined();
});

test('inspect() reports what each agent of a deadlock holds and waits for', () => {
  const fixture = new DeadlockFixture(['a', 'b']);
  const [one, two] = [fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const calls = [
    [one, () => one.lock('b').lock()],
    [two, () => two.lock('a').lock()],
  ] as const;
  const agents = blockAll(calls, () => fixture.watcher.arena.inspect().agents);
  const [a, b] = ['a', 'b'].map((name) => ({ kind: 'lock', name, address: fixture.address(name), permits: 1 }));
  const blocking = { how: 'blocking', since: expect.any(Number) as number, age: expect.any(Number) as number };
  expect(agents.filter(({ agent }) => agent !== fixture.watcher.context.id)).toMatchObject([
    { agent: one.id, holds: [a], waits: [{ ...b, ...blocking }] },
    { agent: two.id, holds: [b], waits: [{ ...a, ...blocking }] },
  ]);
});
