import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf, TaskFileError, TASKS, withPool, WorkerPool } from './support/pool.ts';

const jobs = (name: string): string => fileURLToPath(new URL(`jobs/${name}`, import.meta.url));
let scratch = '';

beforeAll(() => (scratch = mkdtempSync(join(tmpdir(), 'sluice-'))));
afterAll(() => rmSync(scratch, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

test.each([
  ['the default export', 'tasks.mjs', undefined, 5],
  ['a named export', 'tasks.mjs', 'double', 10],
  ['a whole CommonJS file', 'whole.cjs', undefined, ['whole', 5]],
  ['a function of a CommonJS file', 'whole.cjs', 'other', ['other', 5]],
  ['the default of a transpiled file', 'transpiled.cjs', undefined, ['transpiled', 5]],
  ['a named function of a transpiled file', 'transpiled.cjs', 'named', ['named', 5]],
  ['a function in the default export', 'object.mjs', 'inside', ['inside', 5]],
])('a task runs %s', (_, file, name, result) =>
  withPool({ filename: jobs(file), name }, async (pool) => expect(await pool.run(5)).toEqual(result)),
);

test.each([
  ['a path', TASKS],
  ['a URL', pathToFileURL(TASKS)],
  ['the text of a URL', pathToFileURL(TASKS).href],
])('a file is given as %s', (_, filename) =>
  withPool({ filename, name: 'double' }, async (pool) => expect(await pool.run(4)).toBe(8)),
);

test('a data URL is a file, too', () =>
  withPool({ filename: 'data:text/javascript,export default (x) => x + 1' }, async (pool) => expect(await pool.run(4)).toBe(5)));

test('a name and a file of their own count for that run only', () =>
  withPool({}, async (pool) => {
    expect(await pool.run(5, { name: 'double' })).toBe(10);
    expect(await pool.run(5, { filename: jobs('whole.cjs') })).toEqual(['whole', 5]);
    expect(await pool.run(5, { filename: jobs('whole.cjs'), name: 'other' })).toEqual(['other', 5]);
    expect(await pool.run(5)).toBe(5);
  }));

test('a file that is not there is refused with a TypeError, and nothing is started', () => {
  expect(() => new WorkerPool({ filename: jobs('missing.mjs') })).toThrow(TypeError);
  expect(() => new WorkerPool({ filename: pathToFileURL(jobs('missing.mjs')) })).toThrow(TypeError);
  expect(() => new WorkerPool({ filename: scratch })).toThrow(TypeError);
});

test('a file of one run that is not there rejects with a TypeError', () =>
  withPool({}, async (pool) => {
    expect(await failureOf(pool.run(1, { filename: jobs('missing.mjs') }))).toBeInstanceOf(TypeError);
  }));

type Text = readonly [what: string, text: string, name: string | undefined, cause: string | undefined];
const TEXTS: readonly Text[] = [
  ['does not parse', 'export default function (', undefined, 'SyntaxError'],
  ['throws when it is loaded', 'throw new RangeError("not today")', undefined, 'RangeError'],
  ['imports what is not there', 'import "./nowhere.mjs"', undefined, 'Error'],
  ['exports nothing', '', undefined, undefined],
  ['has no such export', 'export const one = () => 1', 'two', undefined],
  ['exports something else', 'export const one = 1', 'one', undefined],
  ['exports null', 'export const one = null; export default null', 'one', undefined],
];

test.each(TEXTS)('a file that %s rejects the task with the code of TaskFileError', async (what, text, name, cause) => {
  const filename = write(`${what.replaceAll(' ', '-')}.mjs`, text);
  await withPool({ filename, name }, async (pool, _) => {
    const failure = await failureOf(pool.run(1));
    expect(failure).toMatchObject({ name: 'TaskFileError', code: 'SLUICE_TASK_FILE' });
    if (cause !== undefined) expect(failure).toMatchObject({ cause: { name: cause } });
    // Its worker lives, and other files still run.
    expect(await pool.run(3, { filename: jobs('object.mjs'), name: 'inside' })).toEqual(['inside', 3]);
    expect(pool.stats().replaced).toBe(0);
  });
});

// Errors of workers are made anew as plain errors.
test('a failure of the file is an instance of TaskFileError', () =>
  withPool({}, async (pool) => expect(await failureOf(pool.run(1, { name: 'none' }))).toBeInstanceOf(TaskFileError)));
