// Tests the built entries: ES modules and CommonJS, each with the TypeScript kernel of either format.

import * as core from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { expect, test } from 'vitest';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
// By path: Node.js gives `require` the ES modules. Test runners with a loader of their own load these files.
const commonCore = require('../dist/index.cjs') as typeof core;
const { jsEngine: commonEngine } = require('../dist/js.cjs') as { jsEngine: core.JsEngine };

test.each([
  ['ES modules', core, jsEngine],
  ['CommonJS', commonCore, commonEngine],
  ['CommonJS with the engine of the ES module', commonCore, jsEngine],
  ['ES modules with the engine of CommonJS', core, commonEngine],
])('%s: agents with jsEngine and with the default kernel share an arena', async (_, { Arena, Semaphore }, engine) => {
  expect(commonCore).not.toBe(core);
  const arena = Arena.create({ engine, maxPages: 2 });
  const semaphore = Semaphore.create(1, { arena });
  semaphore.acquire();
  const other = Arena === core.Arena ? commonCore : core;
  const theirs = other.Semaphore.from(semaphore.handle);
  expect([arena.engine, theirs.arena.engine, theirs.tryAcquire()]).toEqual(['js', 'wasm', false]);
  const wait = theirs.acquireAsync();
  semaphore.release();
  await wait;
  expect(theirs.inspect().holders).toEqual([expect.objectContaining({ agent: 2, permits: 1 })]);
});
