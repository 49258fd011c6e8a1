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
  ['the only export of a CommonJS file', 'whole.cjs', undefined, ['whole', 5]],
  ['a function of a CommonJS file', 'whole.cjs', 'other', ['other', 5]],
  ['the default of a transpiled file', 'transpiled.cjs', undefined, ['transpiled', 5]],
  ['a named function of a transpiled file', 'transpiled.cjs', 'named', ['named', 5]],
  ['a function in the default export', 'object.mjs', 'inside', ['inside', 5]],
  ['a default export that is a promise', 'promised.mjs', undefined, ['promised', 5]],
  ['a function of a default export that is a promise', 'promised-object.mjs', 'inside', ['inside', 5]],
  ['a named export that is a promise', 'tasks.mjs', 'later', 10],
  ['a CommonJS file whose export is a promise', 'promised.cjs', undefined, ['promised', 5]],
])('a task runs %s', (_, file, name, result) =>
  withPool({ filename: jobs(file), name }, async (pool) => expect(await pool.run(5)).toEqual(result)),
);

test.each([
  ['a path', TASKS],
  ['a URL', pathToFileURL(TASKS)],
  ['the text of a URL', pathToFileURL(TASKS).href],
])('a file may be given as %s', (_, filename) =>
  withPool({ filename, name: 'double' }, async (pool) => expect(await pool.run(4)).toBe(8)),
);

test('a data URL is accepted as a file', () =>
  withPool({ filename: 'data:text/javascript,export default (x) => x + 1' }, async (pool) =>
    expect(await pool.run(4)).toBe(5),
  ));

test('a name and a file with spaces are not mistaken for another name and file', () => {
  const begin = 'data:text/javascript,export const a = () => 1; //';
  const second = `data:text/javascript,const f = () => 2; export { f as "a ${begin}" }`;
  const first = `${begin} ${second}`;
  return withPool({ size: 1 }, async (pool) => {
    expect(await pool.run(0, { name: 'a', filename: first })).toBe(1);
    expect(await pool.run(0, { name: `a ${begin}`, filename: second })).toBe(2);
  });
});

test('the options name and filename of a call apply to that call only', () =>
  withPool({}, async (pool) => {
    expect(await pool.run(5, { name: 'double' })).toBe(10);
    expect(await pool.run(5, { filename: jobs('whole.cjs') })).toEqual(['whole', 5]);
    expect(await pool.run(5, { filename: jobs('whole.cjs'), name: 'other' })).toEqual(['other', 5]);
    expect(await pool.run(5)).toBe(5);
  }));

test('the constructor throws a TypeError for a missing file, and starts no worker', () => {
  expect(() => new WorkerPool({ filename: jobs('missing.mjs') })).toThrow(TypeError);
  expect(() => new WorkerPool({ filename: pathToFileURL(jobs('missing.mjs')) })).toThrow(TypeError);
  expect(() => new WorkerPool({ filename: scratch })).toThrow(TypeError);
});

test('a call with a missing file rejects with a TypeError', () =>
  withPool({}, async (pool) => {
    expect(await failureOf(pool.run(1, { filename: jobs('missing.mjs') }))).toBeInstanceOf(TypeError);
  }));

type Text = readonly [what: string, text: string, name: string | undefined, cause: string | undefined];
const TEXTS: readonly Text[] = [
  ['does not parse', 'export default function (', undefined, 'SyntaxError'],
  ['throws when it is loaded', 'throw new RangeError("not today")', undefined, 'RangeError'],
  ['imports a module that does not exist', 'import "./nowhere.mjs"', undefined, 'Error'],
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
    // The worker is alive, and functions of other files still run.
    expect(await pool.run(3, { filename: jobs('object.mjs'), name: 'inside' })).toEqual(['inside', 3]);
    expect(pool.stats().replaced).toBe(0);
  });
});

test('the error of a task that names no function of its file lists the functions of the file', () =>
  withPool(
    {
      filename: write('named.mjs', 'export const one = () => 1; export const two = () => 2; export const three = 3'),
      name: undefined,
    },
    async (pool) => {
      const { message } = (await failureOf(pool.run(1))) as Error;
      expect(message).toMatch(/exports no function default: found nothing\. The option "name" can choose one, two\.$/);
    },
  ));

// Errors from workers are rebuilt. Fails if the class of the package is lost.
test('the error of a file that fails to load is an instance of TaskFileError', () =>
  withPool({}, async (pool) => expect(await failureOf(pool.run(1, { name: 'none' }))).toBeInstanceOf(TaskFileError)));

test('an export that is a rejecting promise rejects with the code of TaskFileError', () =>
  withPool({}, async (pool) => {
    const failure = await failureOf(pool.run(1, { name: 'brokenLater' }));
    expect(failure).toMatchObject({
      code: 'SLUICE_TASK_FILE',
      cause: { name: 'RangeError', message: 'cannot be made' },
    });
  }));

/** Loads `.shout` files, and changes the text of CommonJS files, as transpilers do that are given to \`--require\`. */
const HOOK = `
  const { readFileSync } = require('node:fs');
  const { extensions } = require('node:module')._extensions ? { extensions: require('node:module')._extensions } : {};
  extensions['.shout'] = (module, filename) => module._compile(readFileSync(filename, 'utf8').replaceAll('FUNCTION', 'module.exports'), filename);
  const load = extensions['.js'];
  extensions['.js'] = (module, filename) => {
    const compile = module._compile;
    module._compile = (text, ...others) => compile.call(module, text.replaceAll('WHISPER', "'whispered'"), ...others);
    load(module, filename);
  };
`;

test.each([
  ['a file with an extension of its own', 'task.shout', 'FUNCTION = (input) => ["shouted", input];', ['shouted', 5]],
  [
    'a CommonJS file that the hook changes',
    'hooked.js',
    'module.exports = (input) => [WHISPER, input];',
    ['whispered', 5],
  ],
])('a hook of require loads %s', async (_, file, text, result) => {
  const hook = write('hook.cjs', HOOK);
  await withPool({ filename: write(file, text), execArgv: ['--require', hook] }, async (pool) =>
    expect(await pool.run(5)).toEqual(result),
  );
});

test('the error of a require hook is the cause of a TaskFileError', async () => {
  const hook = write('hook.cjs', HOOK);
  await withPool({ filename: write('broken.shout', 'FUNCTION = ('), execArgv: ['--require', hook] }, async (pool) =>
    expect(await failureOf(pool.run(5))).toMatchObject({ code: 'SLUICE_TASK_FILE', cause: { name: 'SyntaxError' } }),
  );
});

test('each task gets the number of its worker, which no other worker has', () =>
  withPool({ name: 'workerId' }, async (pool) => {
    expect([await pool.run(0), await pool.run(0)]).toEqual([1, 1]);
    await failureOf(pool.run('exit', { name: 'die' }));
    expect(await pool.run(0)).toBe(2);
  }));
