// The check of the order of locks in real threads, on the built packages.

import { Arena, Semaphore } from '@sluice/core';
import { startOrderChecks, type OrderViolation } from '@sluice/inspect';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { OrdersData } from './jobs/orders.mjs';

const run = promisify(execFile);
const JOB = new URL('./jobs/orders.mjs', import.meta.url);
const PROGRAM = fileURLToPath(new URL('./children/lock-orders.mjs', import.meta.url));
const FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** Runs workers, and returns what each of them reports. `together`: they begin at the same time. */
async function violations(pairs: number, reversed: readonly boolean[], together: boolean): Promise<OrderViolation[]> {
  const arena = Arena.create({ maxPages: 256 });
  const start = Semaphore.create(0, { arena, name: 'start' });
  // This thread has the table, and hands it on.
  const checks = startOrderChecks();
  const all: OrderViolation[] = [];
  const begin = async (isReversed: boolean): Promise<void> => {
    const workerData: OrdersData = { arena: arena.handle, pairs, isReversed, start: start.handle };
    const worker = new Worker(JOB, { workerData, execArgv: [] });
    const posted = once(worker, 'message');
    if (!together) start.release();
    const [found] = (await posted) as [OrderViolation[]];
    all.push(...found);
    await worker.terminate();
  };
  if (together) {
    const workers = reversed.map(begin);
    while (start.waiting < reversed.length) await new Promise((resolve) => setImmediate(resolve));
    start.release(reversed.length);
    await Promise.all(workers);
  } else for (const isReversed of reversed) await begin(isReversed);
  checks.stop();
  expect(checks.isFull).toBe(false);
  return all;
}

test('two threads that never run at the same time cause one report, with the places of both', async () => {
  const found = await violations(1, [false, true], false);
  expect(found).toHaveLength(1);
  const [{ steps } = { steps: [] }] = found;
  expect(steps.map(({ held, asked }) => [held, asked])).toEqual([
    ["lock 'b 0'", "lock 'a 0'"],
    ["lock 'a 0'", "lock 'b 0'"],
  ]);
  expect(new Set(steps.map(({ thread }) => thread)).size).toBe(2);
  for (const { heldAt, askedAt } of steps) {
    const [held, asked] = [heldAt[0], askedAt[0]];
    expect([held?.within, asked?.within]).toEqual(['nests', 'nests']);
    expect(held?.file).toMatch(/orders\.mjs$/);
    expect((asked?.line ?? 0) - (held?.line ?? 0)).toBe(1);
  }
});

test('threads that close the same cycles at once: each is reported by one of them', async () => {
  const pairs = 300;
  const found = await violations(pairs, [false, true, false, true], true);
  const classes = found.map(({ steps }) =>
    steps
      .map(({ held }) => held)
      .sort()
      .join(' and '),
  );
  expect(classes.sort()).toEqual(
    Array.from({ length: pairs }, (_, pair) => `lock 'a ${pair}' and lock 'b ${pair}'`).sort(),
  );
});

test('--import checks a program without a change, and the warning has the place that created the lock', async () => {
  const options = { cwd: FOLDER, env: { ...process.env, NODE_OPTIONS: '' } };
  const { stderr } = await run(process.execPath, ['--import', '@sluice/inspect/lock-order', PROGRAM], options);
  expect(stderr).toContain('[SLUICE_LOCK_ORDER] SluiceWarning: 2 lock orders together can lead to a deadlock');
  expect(stderr).toMatch(/asks for lock 'accounts' while it holds lock created at .*lock-orders\.mjs:9\n/);
  expect(stderr.match(/acquired at acquiresBoth \(nests\.mjs:11\)/g)).toHaveLength(2);
  expect(stderr.match(/asked for at acquiresBoth \(nests\.mjs:12\)/g)).toHaveLength(2);
  const off = { ...options, env: { ...options.env, SLUICE_LOCK_ORDER: '0' } };
  const quiet = await run(process.execPath, ['--import', '@sluice/inspect/lock-order', PROGRAM], off);
  expect(quiet.stderr).toBe('');
});
