// @ts-check
// Run by Jest, in its environments for Node.js and jsdom.
const { SCENARIOS } = require('./scenarios.cjs');
const core = require('@sluice/core');
const buffers = require('@sluice/bounded-buffer');
const limits = require('@sluice/limit');
const mutexes = require('@sluice/mutex');
const pools = require('@sluice/worker-pool');
const bytes = require('node:buffer');
const { join } = require('node:path');
const threads = require('node:worker_threads');

/**
 * @typedef {{ test: { each(rows: readonly unknown[]): (name: string, body: (...row: any[]) => Promise<void>, timeoutMs:
 *   number) => void }, expect(saw: unknown): { toEqual(right: unknown): void } }} Jest
 */
const { test, expect } = /** @type {Jest} */ (/** @type {unknown} */ (globalThis));

test.each(SCENARIOS)(
  '%s',
  async (_, play) => {
    const [saw, right] = await play({
      core,
      buffers,
      limits,
      mutexes,
      pools,
      bytes,
      threads,
      tasks: join(__dirname, 'tasks.mjs'),
    });
    expect(saw).toEqual(right);
  },
  60_000,
);
