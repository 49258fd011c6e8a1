// Tests the report of a recovery, and its work besides restoring permits.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { recover } from '../src/recovery/claim-dead-agent.ts';
import { MisuseError, Region, Semaphore } from '../src/index.ts';
import { AGENT_ARMED, AGENT_RECLAIMER, HEADER_AGENT_POOL, HEADER_AGENTS } from '../src/kernel/layout.ts';
import { records } from '../src/memory/records.ts';
import { ALL_DEEDS } from './support/crash-run.ts';
import { outlives, Stage } from './support/crash-stage.ts';

const NOTHING = {
  permits: [],
  ticketsWithdrawn: 0,
  chainsFinished: 0,
  locksOrphaned: [],
  buffersInterrupted: [],
  blocksFreed: 0,
  pending: [],
  finished: [],
};

function newStage(): Stage {
  return new Stage({}, 'wasm');
}

test('the report names the semaphores with restored permits, the waits, the locks and the blocks', async () => {
  const stage = newStage();
  const { arena } = stage.living;
  const [files, ports] = [3, 2].map((permits, index) =>
    Semaphore.create(permits, { arena, name: ['files', 'ports'][index] }),
  );
  if (files === undefined || ports === undefined) throw new Error('no semaphores');
  const [theirFiles, theirPorts] = [files, ports].map(({ handle }) =>
    Semaphore.from(stage.world.handle(handle, stage.victim)),
  );
  const lock = stage.lock();
  theirFiles?.acquire(2);
  lock.theirs.lock();
  ports.acquire(2);
  for (const permits of [2, 1, 1]) theirPorts?.acquireAsync(permits, { ref: false }).catch(() => undefined);
  ports.release(2);
  // Its next deeds: it claims a block and draws a tag. It dies before the one after.
  await outlives(stage.life, () => Region.create(8, { arena: stage.victim.arena }), ['step'], 1);

  const agent = stage.victim.context.id;
  expect(arena.reclaim(agent)).toEqual({
    ...NOTHING,
    agent,
    permits: [
      { name: 'ports', address: ports.handle.address, permits: 2 },
      { name: 'files', address: files.handle.address, permits: 2 },
    ],
    ticketsWithdrawn: 2,
    locksOrphaned: [{ name: 'owned', address: lock.ours.lock.handle.address }],
    blocksFreed: 1,
    pending: [],
  });
  expect([files.available, ports.available]).toEqual([3, 2]);
});

test('a recovery counts the chains that a dead releaser had in hand, and walks them to the end', async () => {
  const stage = newStage();
  const { ours, theirs } = stage.semaphore(2);
  // Release two permits: the step that releases one permit admits a lone waiter itself.
  theirs.acquire(2);
  ours.wait(2);
  expect(await outlives(stage.life, () => theirs.release(2), ['step'], 1)).toBe(false);
  const { id } = stage.victim.context;
  expect(stage.living.arena.reclaim(id)).toEqual({ ...NOTHING, agent: id, chainsFinished: 1 });
  await stage.settle();
  expect(ours.waits).toMatchObject([{ outcome: 'granted' }]);
});

test('a second reclaim() of a recovered agent reports that there is no such agent', () => {
  const stage = newStage();
  stage.life.die();
  const { id } = stage.victim.context;
  expect(stage.living.arena.reclaim(id)).toEqual({ ...NOTHING, agent: id });
  for (const { arena } of [stage.living, stage.reclaimer]) {
    expect(() => arena.reclaim(id)).toThrow(MisuseError);
    expect(arena.reclaimDead()).toEqual([]);
    expect(arena.inspect().agents.map(({ agent }) => agent)).not.toContain(id);
  }
});

test('a recovery leaves a free record alone that names the dead agent as its reclaimer, as damage may', () => {
  const stage = newStage();
  const { words } = stage.living.context;
  const free = [...records(words, HEADER_AGENT_POOL)].find(({ owner }) => owner === 0);
  if (free === undefined) throw new Error('no free record');
  const { id } = stage.victim.context;
  words.store32(free.record + AGENT_RECLAIMER, id);
  stage.life.die();
  expect(stage.living.arena.reclaim(id)).toEqual({ ...NOTHING, agent: id });
  expect(words.load32(free.record + AGENT_RECLAIMER)).toBe(id);
});

test('reclaim() of a living agent throws and changes nothing', () => {
  const stage = newStage();
  const { ours } = stage.semaphore(2);
  ours.take();
  expect(stage.third.arena.reclaimDead()).toEqual([]);
  const { id } = stage.living.context;
  expect(() => stage.third.arena.reclaim(id)).toThrow(`Agent ${id} is alive. Nothing was changed.`);
  expect(ours.sem.inspect().holders).toMatchObject([{ agent: id, permits: 1 }]);
});

test('the next agent that joins reuses the record, with another id', () => {
  const stage = newStage();
  stage.life.die();
  const { agent, id } = stage.victim.context;
  stage.living.arena.reclaim(id);
  const { context } = stage.world.join();
  expect(context.agent).toBe(agent);
  expect(context.id).toBe(id + 1);
  expect(stage.world.words.load32(HEADER_AGENTS)).toBe(id + 1);
});

test('permits of a semaphore without records of holders stay lost, and its waiters are served', async () => {
  const stage = newStage();
  const { ours, theirs } = stage.semaphore(3, { recovery: false });
  theirs.acquire();
  ours.take(2);
  const wait = theirs.acquireAsync(2, { ref: false });
  wait.catch(() => undefined);
  ours.wait(1);
  stage.life.die();
  expect(stage.living.arena.reclaim(stage.victim.context.id)).toMatchObject({ permits: [], ticketsWithdrawn: 1 });
  ours.giveBack(2);
  await stage.settle();
  expect([ours.held, ours.sem.available]).toEqual([1, 1]);
});

test('a recovery works in a full arena, since it needs no memory', async () => {
  const stage = newStage();
  const { ours, theirs } = stage.semaphore(2);
  theirs.acquire(2);
  ours.wait(1);
  theirs.acquireAsync(1, { ref: false }).catch(() => undefined);
  ours.wait(1);
  for (const bytes of [8192 - 128, 1024, 1]) {
    expect(() => {
      for (;;) Region.create(bytes, { arena: stage.living.arena });
    }).toThrow(expect.objectContaining({ code: 'SLUICE_ARENA_FULL' }) as Error);
  }
  stage.life.die();
  expect(stage.reclaimer.arena.reclaimDead()).toMatchObject([{ permits: [{ permits: 2 }], ticketsWithdrawn: 1 }]);
  await stage.settle();
  expect([ours.held, ours.sem.available]).toEqual([2, 0]);
});

test('two agents that died while each probed the other are recovered', () => {
  const stage = newStage();
  const [one, other] = [stage.victim, stage.reclaimer];
  one.context.kernel.takeOver(other.context.agent, other.context.id, 0, -one.context.id);
  other.context.kernel.takeOver(one.context.agent, one.context.id, 0, -other.context.id);
  one.life.die();
  other.life.die();
  stage.third.arena.reclaimDead();
  const left = [stage.living, stage.third].map(({ context }) => context.id);
  expect(stage.third.arena.inspect().agents.map(({ agent }) => agent)).toEqual(left);
});

test('an agent that died while it probed a living agent is reported like any other', () => {
  const stage = newStage();
  const { victim, living, third } = stage;
  stage.semaphore(2).theirs.acquire();
  victim.context.kernel.takeOver(living.context.agent, living.context.id, 0, -victim.context.id);
  victim.life.die();
  expect(third.arena.reclaimDead()).toMatchObject([{ agent: victim.context.id, permits: [{ permits: 1 }] }]);
});

test('a recovery of a dead reclaimer finishes the recovery that it had begun, and reports both', async () => {
  const stage = newStage();
  const { victim, reclaimer, third } = stage;
  const { ours, theirs } = stage.semaphore(5);
  theirs.acquire(2);
  stage.openAs(ours, reclaimer).acquire();
  stage.life.die();
  expect(await outlives(reclaimer.life, () => reclaimer.arena.reclaim(victim.context.id), ALL_DEEDS, 4)).toBe(false);
  const reports = [...third.arena.reclaimDead()].sort((a, b) => a.agent - b.agent);
  expect(reports).toMatchObject([
    { agent: reclaimer.context.id, permits: [{ permits: 1 }], finished: [] },
    { agent: victim.context.id, permits: [{ permits: 2 }], finished: [] },
  ]);
  expect(ours.sem.available).toBe(5);
});

test('reclaim() of a dead reclaimer reports the recovery that it had begun within its own report, each once', async () => {
  const stage = newStage();
  const { victim, reclaimer, third } = stage;
  stage.life.die();
  expect(await outlives(reclaimer.life, () => reclaimer.arena.reclaim(victim.context.id), ALL_DEEDS, 4)).toBe(false);
  const report = third.arena.reclaim(reclaimer.context.id);
  expect(JSON.parse(JSON.stringify(report))).toEqual({
    ...NOTHING,
    agent: reclaimer.context.id,
    finished: [{ ...NOTHING, agent: victim.context.id }],
  });
});

test('reclaim() of an agent whose reclaimer died recovers both, and reports both', async () => {
  const stage = newStage();
  const { victim, reclaimer, third } = stage;
  const { ours, theirs } = stage.semaphore(2);
  theirs.acquire();
  stage.life.die();
  expect(await outlives(reclaimer.life, () => reclaimer.arena.reclaim(victim.context.id), ALL_DEEDS, 5)).toBe(false);
  expect(third.arena.reclaim(victim.context.id)).toMatchObject({
    agent: victim.context.id,
    permits: [{ permits: 1 }],
    finished: [{ agent: reclaimer.context.id, finished: [] }],
  });
  expect([ours.sem.available, stage.recordOf(victim.context.id), stage.recordOf(reclaimer.context.id)]).toEqual([
    2, 0, 0,
  ]);
});

test('an agent that was found dead counts as dead for the next reclaimer, even if no probe is possible any more', async () => {
  const stage = newStage();
  const { victim, reclaimer, third } = stage;
  const { ours, theirs } = stage.semaphore(2);
  theirs.acquire();
  stage.world.words.store32(victim.context.agent + AGENT_ARMED, 0);
  stage.life.die();
  expect(() => third.arena.reclaim(victim.context.id)).toThrow('is not known to be dead');
  const { agent, id } = victim.context;
  const recovered = await outlives(reclaimer.life, () => recover(reclaimer.context, agent, id, true), ALL_DEEDS, 4);
  expect([recovered, ours.sem.available]).toEqual([false, 1]);
  expect(third.arena.reclaim(reclaimer.context.id)).toMatchObject({
    finished: [{ agent: id, permits: [{ permits: 1 }] }],
  });
  expect(ours.sem.available).toBe(2);
});

test.each(['walk', 'cancelWait', 'restore'])(
  'when a recovery fails before its step %s, another agent finishes it',
  async (step) => {
    const stage = newStage();
    const { victim, reclaimer, third } = stage;
    const { ours, theirs } = stage.semaphore(3);
    theirs.acquire(2);
    ours.take();
    theirs.acquireAsync(1, { ref: false }).catch(() => undefined);
    ours.wait(2);
    stage.life.die();
    reclaimer.life.before.set(step, () => {
      throw new RangeError('such as a full stack');
    });
    expect(() => reclaimer.arena.reclaim(victim.context.id)).toThrow('such as a full stack');
    expect(third.arena.reclaimDead()).toMatchObject([{ agent: victim.context.id }]);
    await stage.settle();
    expect([ours.held, ours.sem.available]).toEqual([3, 0]);
  },
);
