// Tests agents of one thread that block on each other. Each agent blocks while the previous one sleeps.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll, DeadlockFixture, type DeadlockAgent } from '../../core/test/support/deadlock-fixture.ts';
import { BoundedBuffer } from '../../bounded-buffer/src/index.ts';
import '../../bounded-buffer/test/support/arena-kinds.ts';
import { Semaphore } from '../../core/src/index.ts';
import { findDeadlocks, formatReport, type Deadlock } from '../src/index.ts';

type Call = readonly [agent: DeadlockAgent, call: () => unknown];

/** Returns the deadlocks that are found while all agents sleep, and the report's lines. */
function found(fixture: DeadlockFixture, ...calls: readonly Call[]): { deadlocks: Deadlock[]; lines: string[] } {
  const { arena } = fixture.watcher;
  return blockAll(calls, () => ({ deadlocks: findDeadlocks(arena), lines: formatReport(arena).split('\n') }));
}

/** Returns a cycle as a list that begins with its smallest agent. */
function cycle({ waits }: Deadlock): readonly (readonly [agent: number, name: string, heldBy: number])[] {
  const all = waits.map(({ agent, waitsFor, heldBy }) => [agent, waitsFor.name, heldBy] as const);
  const first = all.findIndex(([agent]) => agent === Math.min(...all.map(([each]) => each)));
  return [...all.slice(first), ...all.slice(0, first)];
}

function twoSemaphores(fixture: DeadlockFixture, permits: readonly [number, number]): readonly [Semaphore, Semaphore] {
  const { arena } = fixture.watcher;
  return [
    Semaphore.create(permits[0], { arena, name: 'first' }),
    Semaphore.create(permits[1], { arena, name: 'second' }),
  ];
}

test('two agents that block on each other’s locks are a certain deadlock, with the start and the age of their waits', () => {
  const fixture = new DeadlockFixture(['fork', 'spoon']);
  const [ann, bob] = [fixture.join(), fixture.join()];
  ann.lock('fork').lock();
  bob.lock('spoon').lock();
  const { deadlocks, lines } = found(
    fixture,
    [ann, () => ann.lock('spoon').lock()],
    [bob, () => bob.lock('fork').lock()],
  );
  expect(deadlocks).toMatchObject([{ certain: true, agents: [ann.id, bob.id] }]);
  expect(deadlocks.map(cycle)).toEqual([
    [
      [ann.id, 'spoon', bob.id],
      [bob.id, 'fork', ann.id],
    ],
  ]);
  for (const { how, since, age } of deadlocks[0]?.waits ?? []) {
    expect(how).toBe('blocking');
    expect(since).toBeGreaterThanOrEqual(1e12);
    expect(age).toBeGreaterThanOrEqual(0);
  }
  expect(lines[0]).toBe('Deadlock: 2 agents wait for each other, and no release by another agent can end it.');
  expect(lines[1]).toMatch(/^ {2}agent \d+ .*holds lock 'fork' and waits for lock 'spoon' for /);
  expect(lines[2]).toMatch(/^ {2}agent \d+ .*holds lock 'spoon' and waits for lock 'fork' for /);
});

test('two agents that block on all permits of each other are a certain deadlock', () => {
  const fixture = new DeadlockFixture([]);
  const [first, second] = twoSemaphores(fixture, [2, 1]);
  const [one, two] = [fixture.join(), fixture.join()];
  one.semaphore(first).acquire(2);
  two.semaphore(second).acquire();
  const { deadlocks } = found(
    fixture,
    [one, () => one.semaphore(second).acquire()],
    [two, () => two.semaphore(first).acquire()],
  );
  expect(deadlocks).toMatchObject([{ certain: true, agents: [one.id, two.id] }]);
});

test('a deadlock over permits is only possible while an agent outside holds one of them', () => {
  const fixture = new DeadlockFixture([]);
  const [first, second] = twoSemaphores(fixture, [2, 1]);
  const [one, two, outside] = [fixture.join(), fixture.join(), fixture.join()];
  one.semaphore(first).acquire();
  outside.semaphore(first).acquire();
  two.semaphore(second).acquire();
  const { deadlocks, lines } = found(
    fixture,
    [one, () => one.semaphore(second).acquire()],
    [two, () => two.semaphore(first).acquire()],
  );
  expect(deadlocks).toMatchObject([{ certain: false, agents: [one.id, two.id] }]);
  expect(lines[0]).toMatch(/^Possible deadlock: 2 agents wait for each other\./);
});

test('a semaphore without records of its holders is in no deadlock', () => {
  const fixture = new DeadlockFixture(['lock']);
  const signal = Semaphore.create(0, { arena: fixture.watcher.arena, recovery: false });
  const [one, two] = [fixture.join(), fixture.join()];
  one.lock('lock').lock();
  const { deadlocks } = found(
    fixture,
    [one, () => one.semaphore(signal).acquire()],
    [two, () => two.lock('lock').lock()],
  );
  expect(deadlocks).toEqual([]);
});

test('a deadlock through an async wait is possible, and never certain: its thread can still act', () => {
  const fixture = new DeadlockFixture(['a', 'b']);
  const [one, two] = [fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  one
    .lock('b')
    .lockAsync({ ref: false })
    .catch(() => undefined);
  const { deadlocks, lines } = found(fixture, [two, () => two.lock('a').lock()]);
  expect(deadlocks).toMatchObject([{ certain: false }]);
  expect(deadlocks.map(cycle)).toEqual([
    [
      [one.id, 'b', two.id],
      [two.id, 'a', one.id],
    ],
  ]);
  expect(lines[1]).toMatch(/holds lock 'a' and awaits lock 'b'/);
});

test('a chain of agents whose last one does not wait is no deadlock', () => {
  const fixture = new DeadlockFixture(['a', 'b', 'c']);
  const [one, two, three] = [fixture.join(), fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  three.lock('c').lock();
  const { deadlocks, lines } = found(fixture, [one, () => one.lock('b').lock()], [two, () => two.lock('c').lock()]);
  expect(deadlocks).toEqual([]);
  expect(lines[0]).toBe('Nothing looks wrong: no deadlock, no dead agent.');
});

test('a deadlock ends with the death of one of its agents, whose locks are then those of a dead holder', () => {
  const fixture = new DeadlockFixture(['a', 'b']);
  const [one, two] = [fixture.join(), fixture.join()];
  one.lock('a').lock();
  two.lock('b').lock();
  const calls = [
    [one, () => one.lock('b').lock()],
    [two, () => two.lock('a').lock()],
  ] as const;
  const { arena } = fixture.watcher;
  const [before, after, lines] = blockAll(calls, () => {
    const deadlocks = findDeadlocks(arena);
    one.life.die();
    fixture.world.lot.clock += 2000; // later than the last probe of the agent
    return [deadlocks, findDeadlocks(arena), formatReport(arena).split('\n')];
  });
  expect(before).toHaveLength(1);
  expect(after).toEqual([]);
  expect(lines[0]).toMatch(/^Dead holder: agent \d+ .*has ended and still holds lock 'a'\. 1 waiter\.$/);
});

test('a full buffer whose only consumer waits is stalled, until another agent takes from it', async () => {
  const fixture = new DeadlockFixture(['door']);
  const { arena } = fixture.watcher;
  const jobs = BoundedBuffer.create({ arena, name: 'jobs', codec: 'int32', capacity: 1 });
  const [owner, producer, consumer, other] = [fixture.join(), fixture.join(), fixture.join(), fixture.join()];
  const bufferOf = (agent: DeadlockAgent): BoundedBuffer<number> =>
    BoundedBuffer.from<number>(fixture.world.handle(jobs.handle, agent));
  const [full, empty, shared] = [bufferOf(producer), bufferOf(consumer), bufferOf(other)];
  owner.lock('door').lock();
  // The consumer waits for a value once, so the buffer knows it.
  const first = empty.popAsync();
  full.push(1);
  await fixture.world.settle();
  await first;
  full.push(2);
  const room = full.pushAsync(3);
  await fixture.world.settle();
  expect(formatReport(arena)).toMatch(/^Nothing looks wrong/);
  const door = consumer.lock('door').lockAsync();
  await fixture.world.settle();
  const [line, next] = formatReport(arena).split('\n');
  expect(line).toBe(
    "Stalled: 1 agent waits for room in buffer 'jobs', and the only agent known to serve it waits, too.",
  );
  expect(next).toMatch(new RegExp(`^  agent ${consumer.id} .*awaits lock 'door' for `));
  shared.pop();
  await fixture.world.settle();
  await room;
  expect(formatReport(arena)).toMatch(/^Nothing looks wrong/);
  owner.lock('door').unlock();
  await fixture.world.settle();
  await door;
});

test('permits that another agent released for their holder are free, so no deadlock over them is certain', () => {
  const fixture = new DeadlockFixture([]);
  const [first, second] = twoSemaphores(fixture, [2, 1]);
  const [one, two, three] = [fixture.join(), fixture.join(), fixture.join()];
  one.semaphore(first).acquire(2);
  two.semaphore(second).acquire();
  // Both permits of `first` are free again, but the ledger of their holder does not know.
  three.semaphore(first).release(2);
  three.semaphore(first).acquire(1);
  const { deadlocks } = found(
    fixture,
    [one, () => one.semaphore(second).acquire()],
    [two, () => two.semaphore(first).acquire(2)],
  );
  expect(deadlocks.map(({ certain }) => certain)).toEqual([false]);
});

test('a grant of an agent that blocks is unseen, until the agent waits for what the waiter behind it holds', () => {
  const fixture = new DeadlockFixture(['door']);
  const { arena } = fixture.watcher;
  const jobs = Semaphore.create(0, { arena, name: 'jobs' });
  const [owner, ann, bob] = [fixture.join(), fixture.join(), fixture.join()];
  owner.lock('door').lock();
  void ann.lock('door').lockAsync();
  owner.lock('door').unlock();
  const { deadlocks, lines } = found(
    fixture,
    [ann, () => ann.semaphore(jobs).acquire()],
    [bob, () => bob.lock('door').lock()],
  );
  expect(deadlocks).toEqual([]);
  expect(lines[0]).toMatch(
    /^Unseen grant: agent \d+ .*was granted lock 'door', but its event loop does not turn\. 1 waiter behind it\.$/,
  );
  expect(lines[1]).toMatch(/^ {2}It blocks: it waits for semaphore 'jobs' for /);
  expect(lines[2]).toBe('  The async call goes on when its thread returns to the event loop.');
});
