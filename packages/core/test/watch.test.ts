// Tests watches of real workers that end in every way.

import { EventEmitter } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { recordOf } from '../src/recovery/claim-dead-agent.ts';
import { Arena, MisuseError, Semaphore, type ReclaimReport } from '../src/index.ts';
import { AGENT_RECLAIMER } from '../src/kernel/layout.ts';
import { TAKEN } from '../src/kernel/states.ts';
import { WatchedWorker } from './support/watched-worker.ts';
import { turn } from './support/turn.ts';
import { asAgent } from '../src/kernel/addresses.ts';

/** On a loaded machine a second is not enough. */
const PATIENCE = { timeout: 120_000 };

interface Bench {
  readonly arena: Arena;
  readonly sem: Semaphore;
  readonly reports: ReclaimReport[];
  readonly onReclaim: (report: ReclaimReport) => void;
}

const workers: WatchedWorker[] = [];

afterEach(async () => {
  await Promise.all(workers.splice(0).map(({ worker }) => worker.terminate()));
});

function setUp(permits = 3): Bench {
  const arena = Arena.create({ maxPages: 8 });
  const reports: ReclaimReport[] = [];
  const onReclaim = (report: ReclaimReport): void => void reports.push(report);
  return { arena, sem: Semaphore.create(permits, { arena, name: 'watched' }), reports, onReclaim };
}

async function start(...[sem, more, prepare]: Parameters<typeof WatchedWorker.start>): Promise<WatchedWorker> {
  const worker = await WatchedWorker.start(sem, more, prepare);
  workers.push(worker);
  return worker;
}

function agentsOf({ arena }: Bench): number[] {
  return arena.inspect().agents.map(({ agent }) => agent);
}

const ENDS = ['process.exit', 'an uncaught error', 'its natural end'];
const HANGS = ['a blocking wait', 'a loop without end', 'an async wait'];

test.each(ENDS)('the holdings of a worker that ended by %s are restored', async (how) => {
  const bench = setUp();
  const watched = await start(bench.sem, { permits: 2 }, (worker) =>
    bench.arena.watch(worker, { onReclaim: bench.onReclaim }),
  );
  expect(bench.sem.available).toBe(1);
  await watched.begin(how);
  await watched.exit;
  expect(bench.reports).toMatchObject([
    {
      agent: watched.agent,
      permits: [{ name: 'watched', address: bench.sem.handle.address, permits: 2 }],
      finished: [],
    },
  ]);
  expect([bench.sem.available, agentsOf(bench)]).toEqual([3, [bench.arena.agentId]]);
});

test.each(['nothing', ...HANGS])(
  'the holdings of a worker that was terminated in %s are restored, and its wait ends',
  async (how) => {
    const bench = setUp();
    const watched = await start(bench.sem, {}, (worker) => bench.arena.watch(worker, { onReclaim: bench.onReclaim }));
    await watched.begin(how);
    const waits = how.endsWith('wait') ? 1 : 0;
    while (bench.sem.waiting < waits) await turn();
    await watched.worker.terminate();
    await watched.exit;
    expect(bench.reports).toMatchObject([{ agent: watched.agent, permits: [{ permits: 1 }], ticketsWithdrawn: waits }]);
    expect([bench.sem.available, bench.sem.waiting, agentsOf(bench)]).toEqual([3, 0, [bench.arena.agentId]]);
  },
);

test('a waiter behind a dead worker’s wait is served', async () => {
  const bench = setUp();
  const watched = await start(bench.sem, { permits: 3 }, (worker) => bench.arena.watch(worker));
  await watched.begin('a blocking wait');
  while (bench.sem.waiting < 1) await turn();
  const wait = bench.sem.acquireAsync(2);
  await watched.worker.terminate();
  await wait;
  expect(bench.sem.inspect()).toMatchObject({
    available: 1,
    holders: [{ agent: bench.arena.agentId, permits: 2 }],
    waiters: [],
  });
});

test('a watch recovers both agents of a worker that loaded the package as ES module and as CommonJS', async () => {
  const bench = setUp();
  const watched = await start(bench.sem, { copies: 2 }, (worker) =>
    bench.arena.watch(worker, { onReclaim: bench.onReclaim }),
  );
  expect(watched.agents).toHaveLength(2);
  await watched.worker.terminate();
  await watched.exit;
  expect(bench.reports.map(({ agent }) => agent).sort()).toEqual([...watched.agents].sort());
  expect([bench.sem.available, agentsOf(bench)]).toEqual([3, [bench.arena.agentId]]);
});

test('the first report comes after all holdings of the worker were restored', async () => {
  const bench = setUp();
  const free: number[] = [];
  const onReclaim = (): void => void free.push(bench.sem.available);
  const watched = await start(bench.sem, { copies: 2 }, (worker) => bench.arena.watch(worker, { onReclaim }));
  await watched.worker.terminate();
  await watched.exit;
  expect(free).toEqual([3, 3]);
});

test('two watches on one worker recover it once, and one of them reports it', async () => {
  const bench = setUp();
  const watched = await start(bench.sem, {}, (worker) => {
    bench.arena.watch(worker, { onReclaim: bench.onReclaim });
    bench.arena.watch(worker, { onReclaim: bench.onReclaim });
  });
  await watched.worker.terminate();
  await watched.exit;
  expect([bench.reports.length, bench.sem.available]).toEqual([1, 3]);
});

test('a stopped watch recovers nothing, and reclaimDead() does it instead', async () => {
  const bench = setUp();
  const watched = await start(bench.sem);
  bench.arena.watch(watched.worker, { onReclaim: bench.onReclaim }).stop();
  await watched.worker.terminate();
  await watched.exit;
  expect([bench.reports.length, bench.sem.available]).toEqual([0, 2]);
  expect(bench.arena.reclaimDead()).toMatchObject([{ agent: watched.agent }]);
  expect(bench.sem.available).toBe(3);
});

test('a watch stops at the end of its using block, and leaves no listener behind', async () => {
  const bench = setUp();
  const watched = await start(bench.sem);
  const listeners = watched.worker.listenerCount('exit');
  {
    using watch = bench.arena.watch(watched.worker, { onReclaim: bench.onReclaim });
    expect([watch instanceof Object, watched.worker.listenerCount('exit')]).toEqual([true, listeners + 1]);
  }
  expect(watched.worker.listenerCount('exit')).toBe(listeners);
  await watched.worker.terminate();
  await watched.exit;
  expect([bench.reports.length, bench.sem.available]).toEqual([0, 2]);
});

test('watch() of a worker that has ended throws and names reclaimDead()', async () => {
  const bench = setUp();
  const watched = await start(bench.sem);
  await watched.worker.terminate();
  expect(() => bench.arena.watch(watched.worker)).toThrow(MisuseError);
  expect(() => bench.arena.watch(watched.worker)).toThrow('Use arena.reclaimDead().');
  expect(bench.arena.reclaimDead()).toHaveLength(1);
});

test('a watch recovers only the agents of its worker', async () => {
  const bench = setUp(4);
  const [one, other] = [await start(bench.sem), await start(bench.sem)];
  bench.arena.watch(one.worker, { onReclaim: bench.onReclaim });
  await Promise.all([one.worker.terminate(), other.worker.terminate()]);
  await Promise.all([one.exit, other.exit]);
  expect(bench.reports.map(({ agent }) => agent)).toEqual([one.agent]);
  expect(agentsOf(bench)).toEqual([bench.arena.agentId, other.agent]);
  expect(bench.arena.reclaimDead()).toMatchObject([{ agent: other.agent }]);
});

test('a watch of a worker that never joined the arena recovers nothing', async () => {
  const [bench, elsewhere] = [setUp(), setUp()];
  const watched = await start(elsewhere.sem, {}, (worker) => bench.arena.watch(worker, { onReclaim: bench.onReclaim }));
  await watched.worker.terminate();
  await watched.exit;
  expect([bench.reports.length, agentsOf(bench), agentsOf(elsewhere)]).toEqual([0, [1], [1, 2]]);
});

test('a block that was claimed by an agent that died while it joined is freed', () => {
  const { arena } = setUp();
  const { kernel, heap } = contextOf(arena);
  const worker = Object.assign(new EventEmitter(), { threadId: 900 });
  arena.watch(worker);
  const block = kernel.extend(-901, 128, heap.bytes);
  const kindOf = (): unknown => arena.inspect().blocks.find(({ address }) => address === block)?.kind;
  expect(kindOf()).toBe('unknown');
  worker.emit('exit');
  expect(kindOf()).toBe('free');
});

test('a watch probes an agent that another agent is recovering until the agent is gone', async () => {
  const bench = setUp();
  const watched = await start(bench.sem, {}, (worker) => bench.arena.watch(worker, { onReclaim: bench.onReclaim }));
  const { words, kernel } = contextOf(bench.arena);
  const record = recordOf(contextOf(bench.arena), watched.agent);
  const other = await start(bench.sem);
  expect(kernel.takeOver(asAgent(record), watched.agent, 0, other.agent)).toBe(TAKEN);
  await watched.worker.terminate();
  expect([bench.reports.length, words.load32(record + AGENT_RECLAIMER)]).toEqual([0, other.agent]);
  await other.worker.terminate();
  await vi.waitFor(() => expect(bench.reports).toHaveLength(2), PATIENCE);
  expect(bench.reports.map(({ agent }) => agent).sort()).toEqual([watched.agent, other.agent].sort());
  expect(bench.sem.available).toBe(3);
});

test('an error that onReclaim throws is uncaught, and all agents of the worker are recovered', async () => {
  const bench = setUp();
  const thrown: unknown[] = [];
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => void thrown.push(error));
  try {
    const onReclaim = ({ agent }: ReclaimReport): void => {
      throw new Error(`told of ${agent}`);
    };
    const watched = await start(bench.sem, { copies: 2 }, (worker) => bench.arena.watch(worker, { onReclaim }));
    await watched.worker.terminate();
    await watched.exit;
    while (thrown.length < 2) await turn();
    const messages = watched.agents.map((agent) => `told of ${agent}`);
    expect(thrown.map((error) => (error as Error).message).sort()).toEqual(messages.sort());
    expect([bench.sem.available, agentsOf(bench)]).toEqual([3, [bench.arena.agentId]]);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of others) process.on('uncaughtException', listener);
  }
});
