// Tests pools that cannot be created, and workers that do not start.
import { Arena, ArenaFullError, Region } from '@sluice/core';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneIn } from '@sluice/harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runChild } from './support/child.ts';
import { COUNT } from './jobs/words.mjs';
import {
  failureOf,
  ownArena,
  PoolClosedError,
  settled,
  TASKS,
  until,
  withPool,
  WorkerDiedError,
  WorkerPool,
} from './support/pool.ts';

let scratch = '';

beforeAll(() => (scratch = mkdtempSync(join(tmpdir(), 'sluice-'))));
afterAll(() => rmSync(scratch, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

test('a pool whose first worker cannot be created leaves no memory in use', () => {
  const { arena, used } = ownArena();
  expect(() => new WorkerPool({ filename: TASKS, arena, workerData: () => undefined })).toThrow('could not be cloned');
  expect(used()).toEqual([]);
});

// Fails if the exit event of the first worker arrives after the memory was freed, and throws.
test('a pool whose second worker cannot be created terminates the first one and leaves no memory in use', async () =>
  expect(await runChild('pool.mjs', 'secondCannotBeMade')).toEqual({
    code: 0,
    signal: undefined,
    printed: 'not this one\nnothing left',
  }));

// The buffer of the tasks fits, and the blocks after it do not.
test.each([
  ['results', 300_000, 0],
  ['slot table', 1024, 65_000],
])('a pool that does not fit into its arena leaves no memory in use (%s)', (_, bufferBytes, maxQueue) => {
  const { arena, used } = ownArena(bufferBytes > 1024 ? 12 : 20);
  const before = arena.inspect().used;
  expect(() => new WorkerPool({ filename: TASKS, size: 1, arena, bufferBytes, maxQueue })).toThrow(ArenaFullError);
  expect(used()).toEqual([]);
  // The memory of the pool is free for other primitives.
  const kept = Region.create(2 ** 16, { arena });
  expect(before).toBeGreaterThan(0);
  kept.free();
});

// Fails if the room for the shortest form of each task, on top of bufferBytes, makes the ring too long.
test('a bufferBytes of 2^28 is accepted, and throws an ArenaFullError in a small arena', () => {
  const arena = Arena.create({ maxPages: 64 });
  expect(() => new WorkerPool({ filename: TASKS, size: 1, arena, bufferBytes: 2 ** 28 })).toThrow(ArenaFullError);
});

const NEVER: readonly (readonly [what: string, text: string, message: string])[] = [
  ['exits', 'process.exit(3);', 'A worker ended with exit code 3 before it was ready.'],
  ['leaves a rejection without a handler', 'Promise.reject(new Error("not handled"));', 'not handled'],
  [
    'leaves a rejection on the next turn',
    'setImmediate(() => Promise.reject(new Error("not handled")));',
    'not handled',
  ],
  ['leaves an error on the next tick', 'process.nextTick(() => { throw new Error("too late") });', 'too late'],
  ['leaves an error on the next turn', 'setImmediate(() => { throw new Error("too late") });', 'too late'],
  [
    'fails later',
    'setImmediate(() => { throw new Error("too late") }); await new Promise((go) => setTimeout(go, 1000));',
    'too late',
  ],
];

// Fails if a worker reports that it is ready before it has loaded the file. Then new workers start for ever.
test.each(oneIn(3, NEVER))(
  'tasks reject if their file ends every worker during the load: it %s',
  (what, text, message) =>
    withPool(
      { filename: write(`${what.replaceAll(' ', '-')}.mjs`, `export default () => 1;\n${text}`), size: 2 },
      async (pool) => {
        const task = failureOf(pool.run(1));
        await settled(until(() => pool.threads.length === 0));
        expect(await task).toBeInstanceOf(PoolClosedError);
        expect(await task).toMatchObject({
          message: expect.stringContaining(message.replace(/\.$/, '')) as string,
          cause: { message: expect.stringContaining(message) as string },
        });
        expect(await failureOf(pool.run(2))).toBe(await task);
        expect(() => pool.tryRun(3)).toThrow(PoolClosedError);
        await settled(pool.close());
        expect(await failureOf(pool.run(4))).toBe(await task);
      },
    ),
);

const LEFT_BEHIND: readonly (readonly [what: string, text: string])[] = [
  ['a rejection', 'setTimeout(() => Promise.reject(new Error("not handled")), 0);'],
  ['an error', 'setTimeout(() => { throw new Error("too late") }, 0);'],
  ['an exit', 'setTimeout(() => process.exit(4), 0);'],
  ['an exit on a later turn', 'setImmediate(() => setImmediate(() => setImmediate(() => process.exit(5))));'],
  [
    'an error that a task starts',
    'export const name = () => setImmediate(() => { throw new Error("after the task") });',
  ],
];

// A task that its worker had begun has a result, or rejects with WorkerDiedError. The others reject after several
// workers in a row that began no task.
test.each(oneIn(3, LEFT_BEHIND))(
  'all tasks settle if their file ends the worker shortly after the load, by %s',
  (what, text) =>
    withPool(
      {
        filename: write(
          `behind-${what.replaceAll(' ', '-')}.mjs`,
          `export default () => new Promise((go) => setTimeout(go, 1));\n${text}`,
        ),
      },
      async (pool) => {
        const codes = await Promise.all([1, 2, 3].map((n) => pool.run(n).then(() => 'done', codeOf)));
        for (const code of codes) expect(['done', 'SLUICE_WORKER_DIED', 'SLUICE_POOL_CLOSED']).toContain(code);
        await settled(pool.close());
      },
    ),
);

// The worker loads the file of a call after it has begun the task.
test.each(oneIn(4, [...NEVER.map(([what, text]) => [what, text] as const), ...LEFT_BEHIND]))(
  'a task settles if the file of its call ends the worker: %s',
  (what, text) =>
    withPool({ filename: TASKS, concurrentTasksPerWorker: 2 }, async (pool) => {
      const filename = write(
        `called-${what.replaceAll(' ', '-')}.mjs`,
        `export default () => new Promise((go) => setTimeout(go, 1));\n${text}`,
      );
      expect(['done', 'SLUICE_WORKER_DIED']).toContain(await pool.run(1, { filename }).then(() => 'done', codeOf));
      expect(await settled(pool.run(5))).toBe(5);
    }),
);

const NEVER_COMES = { code: 'SLUICE_TASK_FILE', message: expect.stringContaining('never comes') as string };
const WAITS = 'export default () => 1; await new Promise(() => undefined);';

// Fails if the pool's port or timers keep a worker's event loop alive while its tasks only wait for loads.
describe.each([
  ['one after another', {}],
  ['several at a time', { concurrentTasksPerWorker: 3 }],
  ['waiting blocked', { atomics: 'sync' as const }],
])('tasks that run %s', (_, options) => {
  test('reject with a TaskFileError if their file waits for something that never happens', () =>
    withPool({ filename: write('waits.mjs', WAITS), ...options }, async (pool) => {
      for (const n of [1, 2]) expect(await settled(failureOf(pool.run(n)))).toMatchObject(NEVER_COMES);
      expect(await settled(pool.run(5, { filename: TASKS }))).toBe(5);
      expect(pool.stats().replaced).toBe(0);
    }));

  test('reject with a TaskFileError if the file of their call, or its export, waits for something that never happens', () =>
    withPool({ filename: TASKS, ...options }, async (pool) => {
      const file = write('waits-later.mjs', WAITS);
      const named = write('waits-inside.mjs', 'export const one = new Promise(() => undefined);');
      const failures = [{ filename: file }, { filename: file }, { filename: named, name: 'one' }].map((one) =>
        settled(failureOf(pool.run(1, one))),
      );
      for (const failure of await Promise.all(failures)) expect(failure).toMatchObject(NEVER_COMES);
      expect(await settled(pool.run(5))).toBe(5);
      expect(pool.stats().replaced).toBe(0);
    }));
});

test('a task waits for a file that loads slowly', () =>
  withPool({ filename: TASKS, concurrentTasksPerWorker: 2 }, async (pool) => {
    const filename = write(
      'slow.mjs',
      'await new Promise((go) => setTimeout(go, 300)); export default (input) => ["slow", input];',
    );
    const [slow, quick] = [pool.run(1, { filename }), pool.run(2)];
    expect(await quick).toBe(2);
    expect(await slow).toEqual(['slow', 1]);
  }));

function codeOf(failure: unknown): unknown {
  return (failure as { readonly code?: unknown }).code;
}

/**
 * Ends its worker without a task, as often as a shared word says, some turns after the load. So the worker was ready
 * before.
 */
const ENDS = `
  import { workerData } from 'node:worker_threads';
  export default (input) => input;
  if (Atomics.sub(workerData, ${COUNT}, 1) > 0) setImmediate(() => setImmediate(() => setImmediate(() => process.exit(0))));
`;

test('a worker that ends before it has begun a task is replaced after a pause', () =>
  withPool({ filename: TASKS, name: 'echo' }, async (_, { words }) => {
    words[COUNT] = 6;
    const pool = new WorkerPool({ filename: write('ends.mjs', ENDS), size: 1, workerData: words });
    let exits = 0;
    const pauses: boolean[] = [];
    pool.on('workerExit', () => {
      exits += 1;
      pauses.push(pool.threads.length === 0);
    });
    await until(() => exits === 6);
    expect(pauses).toEqual([false, false, true, true, true, true]);
    expect(await settled(pool.run(5))).toBe(5);
    await pool.destroy();
  }));

test('a worker that ends during a task is replaced at once', () =>
  withPool({ name: 'dieWith' }, async (pool) => {
    const pauses: boolean[] = [];
    pool.on('workerExit', () => pauses.push(pool.threads.length === 0));
    for (let n = 0; n < 5; n++) expect(await failureOf(pool.run(n))).toBeInstanceOf(WorkerDiedError);
    await until(() => pauses.length === 5);
    expect(pauses).toEqual([false, false, false, false, false]);
  }));

test('a pool can be closed during the pause before a worker is replaced', () =>
  withPool({}, async (_, { words }) => {
    words[COUNT] = 1000;
    const pool = new WorkerPool({ filename: write('ends.mjs', ENDS), size: 1, workerData: words });
    await until(() => pool.threads.length === 0);
    await pool.close();
    // The pause is 10 ms long, and a worker takes longer than that to start and to end.
    const pause = performance.now() + 100;
    let most = 0;
    await until(() => {
      most = Math.max(most, pool.threads.length);
      return performance.now() > pause;
    });
    expect(most).toBe(0);
  }));
