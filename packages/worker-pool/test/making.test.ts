// A pool that cannot be created, and workers that do not start.
import { Arena, ArenaFullError, Region } from '@sluice/core';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runChild } from './support/child.ts';
import { COUNT } from './jobs/words.mjs';
import { failureOf, ownArena, settled, TASKS, until, withPool, WorkerDiedError, WorkerPool } from './support/pool.ts';

let scratch = '';

beforeAll(() => (scratch = mkdtempSync(join(tmpdir(), 'sluice-'))));
afterAll(() => rmSync(scratch, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

test('a pool whose first worker cannot be created leaves nothing behind', () => {
  const { arena, used } = ownArena();
  expect(() => new WorkerPool({ filename: TASKS, arena, workerData: () => undefined })).toThrow('could not be cloned');
  expect(used()).toEqual([]);
});

// Fails if the exit event of the first one arrives after the memory was freed, and throws.
test('a pool whose second worker cannot be created ends the first one and leaves nothing behind', async () =>
  expect(await runChild('pool.mjs', 'secondCannotBeMade')).toEqual({ code: 0, signal: undefined, printed: 'not this one\nnothing left' }));

// The buffer of the tasks fits, and the blocks after it do not.
test.each([
  ['results', 300_000, 0],
  ['board', 1024, 65_000],
])('a pool that does not fit into its arena leaves nothing behind (%s)', (_, bufferBytes, maxQueue) => {
  const { arena, used } = ownArena(bufferBytes > 1024 ? 12 : 20);
  const before = arena.inspect().used;
  expect(() => new WorkerPool({ filename: TASKS, size: 1, arena, bufferBytes, maxQueue })).toThrow(ArenaFullError);
  expect(used()).toEqual([]);
  // What it needed once is free for others.
  const kept = Region.create(2 ** 16, { arena });
  expect(before).toBeGreaterThan(0);
  kept.free();
});

// Fails if the room for the shortest form of each task, on top of bufferBytes, makes the ring too long.
test('a bufferBytes of 2^28 is no RangeError, and throws an ArenaFullError in a small arena', () => {
  const arena = Arena.create({ maxPages: 64 });
  expect(() => new WorkerPool({ filename: TASKS, size: 1, arena, bufferBytes: 2 ** 28 })).toThrow(ArenaFullError);
});

const NEVER: readonly (readonly [what: string, text: string, message: string])[] = [
  ['exits', 'process.exit(3);', 'A worker ended with exit code 3 before it was ready.'],
  ['waits for what never comes', 'await new Promise(() => undefined);', 'before it was ready'],
  ['fails later', 'setImmediate(() => { throw new Error("too late") }); await new Promise((go) => setTimeout(go, 1000));', 'too late'],
];

// Fails if a worker reports that it is ready before it has loaded the file: then new workers start for ever.
test.each(NEVER)('a pool rejects its tasks when its file ends every worker while it loads: it %s', (what, text, message) =>
  withPool({ filename: write(`${what.replaceAll(' ', '-')}.mjs`, `export default () => 1;\n${text}`), size: 2 }, async (pool) => {
    const task = failureOf(pool.run(1));
    await settled(until(() => pool.threads.length === 0));
    expect(await task).toBeInstanceOf(WorkerDiedError);
    expect(await task).toMatchObject({ cause: { message: expect.stringContaining(message) as string } });
    expect(await failureOf(pool.run(2))).toBeInstanceOf(WorkerDiedError);
    await settled(pool.close());
  }),
);

/** Ends its worker, without a task, as often as the word says. */
const ENDS = `
  import { workerData } from 'node:worker_threads';
  export default (input) => input;
  if (Atomics.sub(workerData, ${COUNT}, 1) > 0) setImmediate(() => process.exit(0));
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

test('a pool can be closed during such a pause', () =>
  withPool({}, async (_, { words }) => {
    words[COUNT] = 1000;
    const pool = new WorkerPool({ filename: write('ends.mjs', ENDS), size: 1, workerData: words });
    await until(() => pool.threads.length === 0);
    await pool.close();
    // The pause was one of 10 ms, and a worker takes longer than that to start and to end.
    const pause = performance.now() + 100;
    let most = 0;
    await until(() => {
      most = Math.max(most, pool.threads.length);
      return performance.now() > pause;
    });
    expect(most).toBe(0);
  }));
