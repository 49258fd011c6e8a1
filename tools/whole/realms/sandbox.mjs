// @ts-check
// Run by Vitest, in its pools that load modules into a `node:vm` context.
import { expect, test } from 'vitest';
import * as bytes from 'node:buffer';
import * as threads from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import * as buffers from '@sluice/bounded-buffer';
import * as core from '@sluice/core';
import * as limits from '@sluice/limit';
import * as mutexes from '@sluice/mutex';
import * as pools from '@sluice/worker-pool';
import scenarios from './scenarios.cjs';

test('the realm has classes of its own', () => {
  expect(structuredClone({})).not.toBeInstanceOf(Object);
});

test.each(scenarios.SCENARIOS)('%s', { timeout: 60_000 }, async (_, play) => {
  const [saw, right] = await play({
    core,
    buffers,
    limits,
    mutexes,
    pools,
    bytes,
    threads,
    tasks: fileURLToPath(new URL('tasks.mjs', import.meta.url)),
  });
  expect(saw).toEqual(right);
});
