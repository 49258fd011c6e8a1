// Tests that a blocking call that closes a certain deadlock throws, and changes nothing else.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll, Knot, type KnotAgent } from '../../core/test/support/knot.ts';
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
function twoOwners(): { knot: Knot; ann: KnotAgent; bob: KnotAgent } {
  const knot = new Knot(['fork', 'spoon']);
  const [ann, bob] = [knot.join(), knot.join()];
  ann.lock('fork').lock();
  bob.lock('spoon').lock();
  return { knot, ann, bob };
}

/** `ann` blocks on the spoon. Meanwhile `act` runs, and then `bob` unlocks the spoon. */
function whileAnnWaits(ann: KnotAgent, bob: KnotAgent, act: () => void): void {
  ann.life.meanwhile.push(() => {
    act();
    bob.lock('spoon').unlock();
  });
  ann.lock('spoon').lock();
}

test('the call that closes a deadlock throws, has left the line, and keeps what its agent holds', () => {
  const { knot, ann, bob } = twoOwners();
  detectDeadlocks(bob.arena);
  let failure: unknown;
  whileAnnWaits(ann, bob, () => {
    failure = failureOf(() => bob.lock('fork').lock());
    expect(knot.watcher.arena.inspect().agents.find(({ agent }) => agent === bob.id)).toMatchObject({
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
  const knot = new Knot([]);
  const agent = knot.join();
  const only = agent.semaphore(Semaphore.create(2, { arena: knot.watcher.arena, name: 'only' }));
  detectDeadlocks(agent.arena);
  only.acquire();
  expect(failureOf(() => only.acquire(2))).toBeInstanceOf(DeadlockError);
  expect([only.available, only.waiting]).toEqual([1, 0]);
});

test('a deadlock that another agent may end does not throw: a permit outside, a timeout of the caller', () => {
  const knot = new Knot([]);
  const { arena } = knot.watcher;
  const [first, second] = [Semaphore.create(2, { arena }), Semaphore.create(1, { arena })];
  const [one, two, outside] = [knot.join(), knot.join(), knot.join()];
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
  const knot = new Knot([]);
  const jobs = Semaphore.create(1, { arena: knot.watcher.arena, name: 'jobs' });
  const [feeder, worker] = [knot.join(), knot.join()];
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
  const knot = new Knot([]);
  const agent = knot.join();
  const only = agent.semaphore(Semaphore.create(1, { arena: knot.watcher.arena }));
  const first = detectDeadlocks(agent.arena);
  const second = detectDeadlocks(agent.arena);
  first.stop();
  only.acquire();
  expect(failureOf(() => only.acquire())).toBeInstanceOf(DeadlockError);
  second.stop();
});

test('a wait whose search fails waits as before', () => {
  const knot = new Knot(['door']);
  const [ann, bob] = [knot.join(), knot.join()];
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
  const knot = new Knot([]);
  const mutex = Mutex.create({ arena: knot.watcher.arena, order: 'fifo' });
  const [ann, bob] = [knot.join(), knot.join()];
  const mutexOf = (agent: KnotAgent): Mutex => Mutex.from(knot.world.handle(mutex.handle, agent));
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
