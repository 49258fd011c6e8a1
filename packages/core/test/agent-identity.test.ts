// Tests what reports and messages say about an agent's thread: its id, its name, its runtime, and whether it has ended.

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { Arena, type AgentReport, type SemaphoreHandle } from '../src/index.ts';
import { osThread, runtimeOf, threadName } from '../src/platform/thread.ts';
import { SemaphoreLock } from './jobs/semaphore-lock.mjs';

/** On a loaded machine a second is not enough. */
const PATIENCE = { timeout: 120_000 };

async function startOwner(arena: Arena, owned: SemaphoreHandle): Promise<{ worker: Worker; agent: number }> {
  const wanted = SemaphoreLock.create({ arena, name: 'wanted' }).handle;
  const job = new URL('./children/lock-worker.mjs', import.meta.url);
  const worker = new Worker(job, { workerData: { owned, wanted }, execArgv: [] });
  const [agent] = (await once(worker, 'message')) as [number];
  return { worker, agent };
}

function reportOf(arena: Arena, agent: number): AgentReport | undefined {
  return arena.inspect().agents.find((each) => each.agent === agent);
}

test('inspect() names an agent by its thread and its file, and tells its runtime and Linux’s id of the thread', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const { worker, agent } = await startOwner(arena, SemaphoreLock.create({ arena }).handle);
  try {
    const report = reportOf(arena, agent);
    expect(report).toMatchObject({
      title: `agent ${agent} (thread ${worker.threadId}, lock-worker.mjs)`,
      thread: worker.threadId,
      name: 'lock-worker.mjs',
      runtime: 'node',
      life: 'alive',
    });
    expect(report).not.toHaveProperty('deadSince');
    if (process.platform !== 'linux') return;
    const tasks = readdirSync('/proc/self/task').map(Number);
    expect(tasks).toContain(report?.osThread);
    expect(report?.osThread).not.toBe(reportOf(arena, arena.agentId)?.osThread);
  } finally {
    await worker.terminate();
  }
});

test('inspect() says that an agent’s thread has ended, and since when it is known, until the agent is recovered', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const { worker, agent } = await startOwner(arena, SemaphoreLock.create({ arena, name: 'door' }).handle);
  const before = Date.now();
  await worker.terminate();
  const report = await vi.waitFor(() => {
    const found = reportOf(arena, agent);
    expect(found?.life).toBe('dead');
    return found;
  }, PATIENCE);
  expect(report?.deadSince).toBeGreaterThanOrEqual(before);
  expect(report?.deadSince).toBeLessThanOrEqual(Date.now());
  expect(report?.holds).toMatchObject([{ name: 'door' }]);
  expect(reportOf(arena, agent)?.deadSince).toBe(report?.deadSince);
  arena.reclaim(agent);
  expect(reportOf(arena, agent)).toBeUndefined();
});

test('the next agent of a record has a name of its own', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const first = await startOwner(arena, SemaphoreLock.create({ arena }).handle);
  await first.worker.terminate();
  await vi.waitFor(() => expect(reportOf(arena, first.agent)?.life).toBe('dead'), PATIENCE);
  arena.reclaim(first.agent);
  const second = await startOwner(arena, SemaphoreLock.create({ arena }).handle);
  try {
    expect(reportOf(arena, second.agent)?.title).toBe(
      `agent ${second.agent} (thread ${second.worker.threadId}, lock-worker.mjs)`,
    );
  } finally {
    await second.worker.terminate();
  }
});

test('a thread has the name of its worker, or its file’s, or none', () => {
  const node = { versions: { node: '26.0.0' } };
  const named = (threadName: string, file = '/app/resize.mjs'): string =>
    threadNameOf({ process: { ...node, argv: ['node', file], getBuiltinModule: () => ({ threadName }) } });
  expect(named('resizer')).toBe('resizer');
  expect(named('')).toBe('resize.mjs');
  expect(named('WorkerThread')).toBe('resize.mjs');
  expect(named('', String.raw`C:\app\resize.mjs`)).toBe('resize.mjs');
  expect(named('', '[worker eval]')).toBe('[worker eval]');
  expect(named('', 'data:text/javascript,0')).toBe('');
  expect(threadNameOf({ location: { href: 'https://page.test/workers/sum.js?v=1#x' } })).toBe('sum.js');
  expect(threadNameOf({ location: { href: 'blob:https://page.test/0-1' } })).toBe('');
  expect(threadNameOf({ name: 'sum', location: { href: 'blob:https://page.test/0-1' } })).toBe('sum');
  expect(threadNameOf({})).toBe('');
});

function threadNameOf(global: object): string {
  return threadName(global);
}

test('a thread has the runtime that its globals tell', () => {
  expect(runtimeOf({ process: { versions: { node: '26.0.0' } } })).toBe('node');
  expect(runtimeOf({ process: { versions: { node: '24.0.0', bun: '1.3.0' } } })).toBe('bun');
  expect(runtimeOf({ Deno: {}, process: { versions: { node: '24.0.0' } } })).toBe('deno');
  expect(runtimeOf({ location: { href: 'https://page.test/' } })).toBe('browser');
  expect(runtimeOf({})).toBe('unknown');
});

test('Linux’s id of a thread is 0 where it cannot be read', () => {
  const on = (platform: string, link: () => unknown): number =>
    osThread({ process: { platform, versions: {}, getBuiltinModule: () => ({ readlinkSync: link }) } });
  expect(on('linux', () => '12/task/345')).toBe(345);
  expect(on('darwin', () => '12/task/345')).toBe(0);
  expect(on('linux', () => '12')).toBe(0);
  const refuse = (): never => {
    throw new Error('Access to this API has been restricted');
  };
  expect(on('linux', refuse)).toBe(0);
  expect(osThread({})).toBe(0);
});
