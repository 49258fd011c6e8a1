// Tests that a blocking call that closes a certain deadlock throws, and changes nothing else.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll, DeadlockFixture, type DeadlockAgent } from '../../core/test/support/deadlock-fixture.ts';
import { Condition, Mutex } from '../../mutex/src/index.ts';
import '../../mutex/test/condition/support/kinds.ts';
import { DeadlockError, Semaphore, type Arena } from '../../core/src/index.ts';
import { detectDeadlocks, formatReport } from '../src/index.ts';

function failureOf(call: () => unknown): unknown {
  try {
    call();
  } catch (failure) {
    return failure;
  }
  return undefined;
}

/** Two agents, each with a lock of its own. */
function twoOwners(): { fixture: DeadlockFixture; ann: DeadlockAgent; bob: DeadlockAgent } {
  const fixture = new DeadlockFixture(['fork', 'spoon']);
  const [ann, bob] = [fixture.join(), fixture.join()];
  ann.lock('fork').lock();
  bob.lock('spoon').lock();
  return { fixture, ann, bob };
}

/** `ann` blocks on the spoon. Meanwhile `act` runs, and then `bob` unlocks the spoon. */
function whileAnnWaits(ann: DeadlockAgent, bob: DeadlockAgent, act: () => void): void {
  ann.life.meanwhile.push(() => {
    act();
    bob.lock('spoon').unlock();
  });
  ann.lock('spoon').lock();
}

test('the call that closes a deadlock throws, has left the line, and keeps what its agent holds', () => {
  const { fixture, ann, bob } = twoOwners();
  detectDeadlocks(bob.arena);
  let failure: unknown;
  whileAnnWaits(ann, bob, () => {
    failure = failureOf(() => bob.lock('fork').lock());
    expect(fixture.watcher.arena.inspect().agents.find(({ agent }) => agent === bob.id)).toMatchObject({
      waits: [],
      holds: [{ name: 'spoon' }],
    });
  });
  expect(failure).toBeInstanceOf(DeadlockError);
  expect(String(failure)).toMatch(
    new RegExp(
      `'fork': the wait closes a deadlock: agent ${bob.id}.* waits for lock 'fork', which agent ${ann.id}.* holds; ` +
        `agent ${ann.id}.* waits for lock 'spoon', which agent ${bob.id}.* holds\\. `,
    ),
  );
  // The wait of the other agent has ended, and nothing is left of the one that was refused.
  ann.lock('fork').unlock();
  expect(bob.lock('fork').tryLock()).toBe(true);
});

test('an agent that waits for its own permit throws', () => {
  const fixture = new DeadlockFixture([]);
  const agent = fixture.join();
  const only = agent.semaphore(Semaphore.create(2, { arena: fixture.watcher.arena, name: 'only' }));
  detectDeadlocks(agent.arena);
  only.acquire();
  expect(failureOf(() => only.acquire(2))).toBeInstanceOf(DeadlockError);
  expect([only.available, only.waiting]).toEqual([1, 0]);
});

test('a deadlock that another agent may end does not throw: a permit outside, a timeout of the caller', () => {
  const fixture = new DeadlockFixture([]);
  const { arena } = fixture.watcher;
  const [first, second] = [Semaphore.create(2, { arena }), Semaphore.create(1, { arena })];
  const [one, two, outside] = [fixture.join(), fixture.join(), fixture.join()];
  for (const agent of [one, two]) detectDeadlocks(agent.arena);
  one.semaphore(first).acquire();
  outside.semaphore(first).acquire();
  two.semaphore(second).acquire();
  const calls = [
    [one, () => one.semaphore(second).acquire()],
    [two, () => two.semaphore(first).acquire()],
  ] as const;
  expect(blockAll(calls, () => formatReport(arena))).toMatch(/^Possible deadlock/);

  const { ann, bob } = twoOwners();
  detectDeadlocks(bob.arena);
  whileAnnWaits(ann, bob, () => expect(bob.lock('fork').tryLock(1)).toBe(false));
});

test('permits that another agent has released once are part of no certain deadlock', () => {
  const fixture = new DeadlockFixture([]);
  const jobs = Semaphore.create(1, { arena: fixture.watcher.arena, name: 'jobs' });
  const [feeder, worker] = [fixture.join(), fixture.join()];
  detectDeadlocks(feeder.arena);
  feeder.semaphore(jobs).acquire();
  worker.semaphore(jobs).release();
  feeder.semaphore(jobs).acquire();
  feeder.life.meanwhile.push(() => worker.semaphore(jobs).release());
  feeder.semaphore(jobs).acquire();
});

test('an agent without the search waits as before, and so does one that has stopped it', () => {
  const { ann, bob } = twoOwners();
  const detection = detectDeadlocks(bob.arena);
  detection.stop();
  detection.stop();
  const lines = blockAll(
    [
      [ann, () => ann.lock('spoon').lock()],
      [bob, () => bob.lock('fork').lock()],
    ],
    () => formatReport(ann.arena).split('\n'),
  );
  expect(lines[0]).toMatch(/^Deadlock: 2 agents/);
});

test('a second search replaces the first, whose stop then does nothing', () => {
  const fixture = new DeadlockFixture([]);
  const agent = fixture.join();
  const only = agent.semaphore(Semaphore.create(1, { arena: fixture.watcher.arena }));
  const first = detectDeadlocks(agent.arena);
  const second = detectDeadlocks(agent.arena);
  first.stop();
  only.acquire();
  expect(failureOf(() => only.acquire())).toBeInstanceOf(DeadlockError);
  second.stop();
});

test('a wait whose search fails waits as before', () => {
  const fixture = new DeadlockFixture(['door']);
  const [ann, bob] = [fixture.join(), fixture.join()];
  ann.lock('door').lock();
  bob.context.closedDeadlock = () => {
    throw new RangeError('Maximum call stack size exceeded');
  };
  bob.life.meanwhile.push(() => ann.lock('door').unlock());
  bob.lock('door').lock();
  expect(ann.lock('door').tryLock()).toBe(false);
  bob.lock('door').unlock();
  expect(ann.lock('door').tryLock()).toBe(true);
});

test('a wait for a condition locks its lock again without a search', () => {
  const fixture = new DeadlockFixture([]);
  const mutex = Mutex.create({ arena: fixture.watcher.arena, order: 'fifo' });
  const [ann, bob] = [fixture.join(), fixture.join()];
  const mutexOf = (agent: DeadlockAgent): Mutex => Mutex.from(fixture.world.handle(mutex.handle, agent));
  const [anns, bobs] = [mutexOf(ann), mutexOf(bob)];
  const condition = Condition.create(anns);
  ann.context.closedDeadlock = () => 'a deadlock';
  anns.lock();
  // The wait times out while the other agent owns the mutex.
  ann.life.meanwhile.push(
    () => {
      bobs.lock();
      return 'timed-out';
    },
    () => bobs.unlock(),
  );
  expect(condition.tryWait(5)).toBe(false);
  expect(anns.owned).toBe(true);
});

test('what is no arena is refused by name', () => {
  expect(() => detectDeadlocks(7 as unknown as Arena)).toThrow(TypeError);
});
