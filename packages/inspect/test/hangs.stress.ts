// Programs of real workers that hang. The first three lines of the report explain each of them.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Semaphore } from '@sluice/core';
import { formatReport } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { RwLock } from '@sluice/rw-lock';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import type { HangData } from './jobs/hang.mjs';

const JOB = new URL('./jobs/hang.mjs', import.meta.url);
/** A watchdog, not an expectation. */
const PATIENCE = { timeout: 120_000, interval: 10 };

const workers: Worker[] = [];

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

function newArena(): Arena {
  return Arena.create({ maxPages: 16 });
}

function startUngated(workerData: HangData): Worker {
  const worker = new Worker(JOB, { workerData, execArgv: [] });
  workers.push(worker);
  return worker;
}

/** Starts a worker, and returns it when it holds what it holds. */
async function start(workerData: HangData): Promise<Worker> {
  const worker = startUngated(workerData);
  await once(worker, 'message');
  return worker;
}

function go(...all: readonly Worker[]): void {
  for (const worker of all) worker.postMessage('go');
}

/** Returns the first three lines of the report as soon as that many agents wait. */
async function explained(arena: Arena, waiting: number): Promise<string[]> {
  const waits = (): number => arena.inspect().agents.filter((agent) => agent.waits.length > 0).length;
  await vi.waitFor(() => expect(waits()).toBe(waiting), PATIENCE);
  return formatReport(arena).split('\n').slice(0, 3);
}

function thread({ threadId }: Worker): string {
  return String.raw`agent \d+ \(thread ${threadId}, hang\.mjs\)`;
}

/** Expects the two lines that say of each worker what it holds and what it waits for, in either order. */
function expectCycle(lines: readonly string[], expected: readonly (readonly [worker: Worker, text: string])[]): void {
  for (const [worker, text] of expected)
    expect(lines.slice(1)).toContainEqual(expect.stringMatching(new RegExp(`^  ${thread(worker)} ${text} for `)));
}

test('two threads that wait for each other’s mutexes through runAsync() are a possible deadlock', async () => {
  const arena = newArena();
  const [left, right] = ['left', 'right'].map((name) => Mutex.create({ arena, name }).handle) as [
    ReturnType<typeof Mutex.create>['handle'],
    ReturnType<typeof Mutex.create>['handle'],
  ];
  const ann = await start({ role: 'async', held: left, wanted: right });
  const bob = await start({ role: 'async', held: right, wanted: left });
  expect(formatReport(arena)).toMatch(/^Nothing looks wrong/);
  go(ann, bob);
  const lines = await explained(arena, 2);
  expect(lines[0]).toMatch(/^Possible deadlock: 2 agents wait for each other\./);
  expectCycle(lines, [
    [ann, "holds lock 'left' and awaits lock 'right'"],
    [bob, "holds lock 'right' and awaits lock 'left'"],
  ]);
});

test('two threads that wait for each other’s permits are a deadlock', async () => {
  const arena = newArena();
  const first = Semaphore.create(2, { arena, name: 'first' });
  const second = Semaphore.create(1, { arena, name: 'second' });
  const ann = await start({ role: 'permits', held: first.handle, wanted: second.handle });
  const bob = await start({ role: 'permits', held: second.handle, wanted: first.handle });
  go(ann, bob);
  const lines = await explained(arena, 2);
  expect(lines[0]).toBe('Deadlock: 2 agents wait for each other, and no release by another agent can end it.');
  expectCycle(lines, [
    [ann, "holds semaphore 'first' and waits for semaphore 'second'"],
    [bob, "holds semaphore 'second' and waits for semaphore 'first'"],
  ]);
});

test('an async upgrade and a reader that waits for a mutex of the upgrading thread are a possible deadlock', async () => {
  const arena = newArena();
  const cache = RwLock.create({ arena, name: 'cache', upgradeable: true });
  const lock = Mutex.create({ arena, name: 'files' });
  const upgrading = await start({ role: 'upgrades', cache: cache.handle, lock: lock.handle });
  const reading = await start({ role: 'reads', cache: cache.handle, lock: lock.handle });
  go(upgrading, reading);
  const lines = await explained(arena, 2);
  expect(lines[0]).toMatch(/^Possible deadlock: 2 agents wait for each other\./);
  expectCycle(lines, [
    [upgrading, "holds lock 'files' and awaits the upgrade of lock 'cache' from reading to writing"],
    [reading, "holds lock 'cache' for reading and waits for lock 'files'"],
  ]);
});

test.each([
  ['that has waited for values before', true],
  ['that has not taken a value yet', false],
])('a producer that holds a mutex at a full buffer and a consumer %s are a possible deadlock', async (_, first) => {
  const arena = newArena();
  const lock = Mutex.create({ arena, name: 'files' });
  const buffer = BoundedBuffer.create({ arena, name: 'jobs', codec: 'int32', capacity: 4 });
  const consumer = startUngated({ role: 'consumes', lock: lock.handle, buffer: buffer.handle, first });
  const isIn = once(consumer, 'message');
  if (first) {
    await vi.waitFor(() => expect(buffer.inspect().consumers).toHaveLength(1), PATIENCE);
    buffer.push(0);
  }
  await isIn;
  const producer = await start({ role: 'produces', lock: lock.handle, buffer: buffer.handle });
  go(producer, consumer);
  const lines = await explained(arena, 2);
  expect(lines[0]).toMatch(/^Possible deadlock: 2 agents wait for each other\./);
  expectCycle(lines, [
    [producer, "holds lock 'files' and waits for room in buffer 'jobs'"],
    [consumer, `${first ? '' : 'presumably '}takes from buffer 'jobs' and waits for lock 'files'`],
  ]);
});

test('a thread that ended with a mutex is a dead holder if no thread watches it', async () => {
  const arena = newArena();
  const lock = Mutex.create({ arena, name: 'accounts' });
  const holder = await start({ role: 'dies', lock: lock.handle });
  const { threadId } = holder;
  const waiter = await start({ role: 'waits', lock: lock.handle });
  const exit = once(holder, 'exit');
  go(holder);
  await exit;
  go(waiter);
  await explained(arena, 1);
  // An agent is asked once a second whether it still exists.
  const lines = await vi.waitFor(() => {
    const [first = '', ...others] = formatReport(arena).split('\n').slice(0, 3);
    expect(first).toMatch(/^Dead holder/);
    return [first, ...others];
  }, PATIENCE);
  expect(lines[0]).toMatch(
    new RegExp(
      String.raw`^Dead holder: agent \d+ \(thread ${threadId}, hang\.mjs\) has ended and still holds lock 'accounts'\. 1 waiter\.$`,
    ),
  );
  expect(lines[1]).toBe(
    '  No thread has recovered it: watch workers with arena.watch(worker), or call arena.reclaimDead().',
  );
  expect(lines[2]).toMatch(new RegExp(`^  ${thread(waiter)} waits for lock 'accounts' for `));
});

test('a thread that awaits a mutex and blocks elsewhere does not see its grant, and the report names it', async () => {
  const arena = newArena();
  // In turns, another agent may take the lock before the waiter that is next.
  const lock = Mutex.create({ arena, name: 'accounts', order: 'fifo' });
  const jobs = Semaphore.create(0, { arena, name: 'jobs' });
  lock.lock();
  const worker = await start({ role: 'blocks', lock: lock.handle, jobs: jobs.handle });
  go(worker);
  await vi.waitFor(() => expect([lock.inspect().waiters.length, jobs.waiting]).toEqual([1, 1]), PATIENCE);
  lock.unlock();
  const late = lock.lockAsync();
  const lines = await explained(arena, 2);
  expect(lines[0]).toMatch(
    new RegExp(`^Unseen grant: ${thread(worker)} was granted lock 'accounts', but its event loop does not turn`),
  );
  expect(lines[1]).toMatch(/^ {2}It blocks: it waits for semaphore 'jobs' for /);
  jobs.release();
  // The thread sees its grant, and ends with the lock.
  await once(worker, 'exit');
  arena.reclaimDead();
  await expect(late).rejects.toMatchObject({ code: 'SLUICE_OWNER_DIED' });
});

test('two threads that search for deadlocks throw instead of waiting for each other', async () => {
  const arena = newArena();
  const [left, right] = ['left', 'right'].map((name) => Mutex.create({ arena, name }));
  if (left === undefined || right === undefined) throw new Error('Two mutexes were created.');
  const ann = await start({ role: 'throws', held: left.handle, wanted: right.handle });
  const bob = await start({ role: 'throws', held: right.handle, wanted: left.handle });
  const said = [ann, bob].map((worker) => once(worker, 'message').then(([message]) => String(message)));
  const ended = [ann, bob].map((worker) => once(worker, 'exit'));
  go(ann, bob);
  const codes = await Promise.all(said);
  await Promise.all(ended);
  // The last one to wait sees the deadlock. If both wait at the same moment, both see it.
  expect(codes).toContain('SLUICE_DEADLOCK');
  expect(codes.every((code) => code === 'SLUICE_DEADLOCK' || code === 'locked')).toBe(true);
  expect([left.tryLock(), right.tryLock()]).toEqual([true, true]);
});
