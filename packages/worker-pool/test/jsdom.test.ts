// Tests the packages in a realm like that of Jest's jsdom environment. The realm has its own classes, but no
// TextEncoder, structuredClone or setImmediate. Its timers are numbers.
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

/** The result of a test's program. */
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
  const main = runInContext(`(async (require, TASKS) => { ${story} })`, context) as (
    ...values: unknown[]
  ) => Promise<unknown>;
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
  expect(JSON.parse(String(await inBareRealm(story)))).toEqual([
    false,
    'locked',
    'schön 😀',
    'SLUICE_TIMEOUT',
    'größe',
    'größe',
    'lock',
    'words',
  ]);
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

test('an error of a task keeps its class, name, code, own properties and cause', async () => {
  const story = `
    const { hasCode } = require('@sluice/core');
    const { WorkerPool, TaskFileError } = require('@sluice/worker-pool');
    const pool = new WorkerPool({ filename: TASKS.replace('tasks.mjs', 'errors.mjs'), size: 1 });
    const failureOf = (task, name) => pool.run(task, { name }).then(() => undefined, (failure) => failure);
    const own = await failureOf(undefined, 'own');
    const builtIn = await failureOf('TypeError', 'builtIn');
    const missing = await failureOf(undefined, 'nowhere');
    const raw = await failureOf('a text', 'raw');
    await pool.close();
    return JSON.stringify([
      own instanceof Error, own.name, own.code, own.details, own.cause instanceof RangeError, own.cause.cause,
      builtIn instanceof TypeError, builtIn.message,
      missing instanceof TaskFileError, missing.code, hasCode(missing, 'SLUICE_TASK_FILE'), raw,
    ]);`;
  expect(JSON.parse(String(await inBareRealm(story)))).toEqual([
    ...[true, 'OwnError', 'OWN', { path: ['a', 1] }, true, 'deepest'],
    ...[true, 'a TypeError'],
    ...[true, 'SLUICE_TASK_FILE', true, 'a text'],
  ]);
});

test('tasks with values of any kind run, and a failed task frees its slot', async () => {
  const story = `
    const { WorkerPool } = require('@sluice/worker-pool');
    const { Semaphore } = require('@sluice/core');
    const pool = new WorkerPool({ filename: TASKS, size: 1, maxQueue: 1 });
    class Own { constructor() { this.kept = 1; } }
    const shared = new Map([[1, new Set([2])]]);
    const values = [{ a: 1 }, [1, [2]], new Own(), shared, new Date(7), new Uint8Array([1, 2]), Object.create(null), 5n, undefined, new Error('e'), Semaphore.create(2).handle];
    const back = [];
    for (const value of values) back.push(await pool.run(value));
    const refused = [() => 1, Symbol('s'), { get bad() { throw new Error('a getter'); } }, new Proxy({}, { ownKeys() { throw new Error('a proxy'); } }), new WeakMap()];
    const failures = [];
    for (let round = 0; round < 3; round++) for (const value of refused) failures.push(await pool.run(value).then(() => 'ran', () => 'refused'));
    const last = await pool.run('last');
    await pool.close();
    return JSON.stringify([
      back[0], back[1], back[2], [...back[3].get(1)], back[4].getTime(), [...back[5]], back[6], String(back[7]), back[8] === undefined, back[9].message,
      Semaphore.from(back[10]).available, [...new Set(failures)], last,
    ]);`;
  expect(JSON.parse(String(await inBareRealm(story)))).toEqual([
    ...[{ a: 1 }, [1, [2]], { kept: 1 }, [2], 7, [1, 2], {}, '5', true, 'e', 2],
    ...[['refused'], 'last'],
  ]);
});

test('the codec "bytes" accepts a Buffer', async () => {
  const story = `
    const { BoundedBuffer } = require('@sluice/bounded-buffer');
    const { Buffer } = require('node:buffer');
    const buffer = BoundedBuffer.create({ codec: 'bytes' });
    buffer.push(Buffer.from([7, 8]));
    return [...buffer.pop()].join();`;
  expect(await inBareRealm(story)).toBe('7,8');
});
