// The packages in a realm like that of Jest's jsdom environment: classes of its own, no TextEncoder, no structuredClone, no setImmediate,
// timers that are numbers.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { TASKS } from './support/pool.ts';

const here = createRequire(import.meta.url);
const timers = new Map<number, NodeJS.Timeout>();

function numbered(timer: NodeJS.Timeout): number {
  timers.set(timers.size + 1, timer);
  return timers.size;
}

/** What the story of a test returns. */
async function inBareRealm(story: string): Promise<unknown> {
  const context = createContext({
    AbortController,
    AbortSignal,
    crypto,
    clearInterval: (id: number) => clearInterval(timers.get(id)),
    clearTimeout: (id: number) => clearTimeout(timers.get(id)),
    document: {},
    performance,
    queueMicrotask,
    setInterval: (call: () => void, ms: number) => numbered(setInterval(call, ms).unref()),
    setTimeout: (call: () => void, ms: number) => numbered(setTimeout(call, ms)),
  });
  runInContext('URL = class URL { constructor(href) { this.href = href; } }', context);
  const loaded = new Map<string, { exports: unknown }>();
  const load = (specifier: string, from: NodeJS.Require): unknown => {
    if (!/^[@./]/.test(specifier)) return from(specifier) as unknown;
    // Node.js resolves to the ES module, Jest to the file beside it.
    const file = from.resolve(specifier).replace(/\.js$/, '.cjs');
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(file, module);
    const code = `(function (module, exports, require, __filename, __dirname) { ${readFileSync(file, 'utf8')}\n})`;
    const run = runInContext(code, context, { filename: file }) as (...values: unknown[]) => void;
    const require = createRequire(file);
    run(module, module.exports, (name: string) => load(name, require), file, dirname(file));
    return module.exports;
  };
  const main = runInContext(`(async (require, TASKS) => { ${story} })`, context) as (...values: unknown[]) => Promise<unknown>;
  return main((name: string) => load(name, here), TASKS);
}

test('the realm lacks everything that the packages must not rely on', async () => {
  const missing = ['TextEncoder', 'TextDecoder', 'structuredClone', 'setImmediate', 'process', 'Buffer'];
  const types = await inBareRealm(`return [${missing.map((name) => `typeof ${name}`).join()}].join()`);
  expect(types).toBe(missing.map(() => 'undefined').join());
});

test('named primitives wait, report their names and carry JSON', async () => {
  const story = `
    const { Arena, Semaphore } = require('@sluice/core');
    const { Mutex } = require('@sluice/mutex');
    const { BoundedBuffer } = require('@sluice/bounded-buffer');
    const permits = Semaphore.create(1, { name: 'größe' });
    permits.acquire();
    const given = [permits.tryAcquire(1, 1)];
    const later = permits.acquireAsync();
    permits.release();
    await later;
    const code = await permits.acquireAsync(1, { timeout: 1 }).catch((failure) => failure.code);
    Mutex.create({ name: 'lock' }).run(() => given.push('locked'));
    const buffer = BoundedBuffer.create({ codec: 'json', ringBytes: 4096, name: 'words' });
    buffer.push({ word: 'schön 😀' });
    given.push(buffer.pop().word, code, permits.name);
    const names = Arena.default().inspect().blocks.map(({ name }) => name).filter((name) => name !== '');
    return JSON.stringify([...given, ...names]);`;
  expect(JSON.parse(String(await inBareRealm(story)))).toEqual([false, 'locked', 'schön 😀', 'SLUICE_TIMEOUT', 'größe', 'größe', 'lock', 'words']);
});

test('a pool runs tasks, takes a URL of the realm, and closes', async () => {
  const story = `
    const { WorkerPool } = require('@sluice/worker-pool');
    const pool = new WorkerPool({ filename: new URL('file://' + TASKS), name: 'double', size: 1 });
    const results = await pool.map([1, 2, 3], { timeout: 20000 });
    await pool.close();
    return results.join();`;
  expect(await inBareRealm(story)).toBe('2,4,6');
});
