// Tests the file that the workers run: the option workerUrl, and files that cannot be loaded. Bundlers: tools/bundlers.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf, until, withPool, WorkerFileError } from './support/pool.ts';

const WORKER = fileURLToPath(new URL('../dist/sluice-pool-worker.js', import.meta.url));
let scratch = '';

beforeAll(() => (scratch = mkdtempSync(join(tmpdir(), 'sluice-'))));
afterAll(() => rmSync(scratch, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

const runs = async (workerUrl: string | URL): Promise<unknown> =>
  withPool({ workerUrl, name: 'double' }, (pool) => pool.run(4));

test.each([
  ['a path', WORKER],
  ['a path below the working directory', relative('', WORKER)],
  ['a URL', pathToFileURL(WORKER)],
  ['the text of a URL', pathToFileURL(WORKER).href],
  ['the CommonJS file', WORKER.replace(/js$/, 'cjs')],
])('workerUrl is %s', async (_, workerUrl) => expect(await runs(workerUrl)).toBe(8));

test('a program may use its own file that imports the worker', async () => {
  expect(await runs(write('own.mjs', `import ${JSON.stringify(pathToFileURL(WORKER).href)};`))).toBe(8);
});

test.each([
  [''],
  [5],
  [null],
  [{}],
  ['file://%'],
  [new URL('https://example.org/worker.js')],
  [new URL('data:text/javascript,')],
])('a workerUrl of %o throws a TypeError', async (workerUrl) =>
  expect(await failureOf(runs(workerUrl as never))).toBeInstanceOf(TypeError),
);

test.each([['nowhere.js'], ['.']])(
  'a workerUrl that names no file (%s) throws, and the error says what to give',
  async (name) => {
    const failure = await failureOf(runs(join(scratch, name)));
    expect(failure).toBeInstanceOf(WorkerFileError);
    expect(failure).toMatchObject({ name: 'WorkerFileError', code: 'SLUICE_WORKER_FILE' });
    expect((failure as Error).message).toBe(
      `There is no file at '${join(scratch, name)}', the value of the option workerUrl. Give the path of the built '@sluice/worker-pool/worker'.`,
    );
  },
);

test.each([
  ['imports a package that does not exist', () => copyTo('lonely.mjs'), "Cannot find package '@sluice"],
  [
    'counts as CommonJS but is an ES module',
    () => copyTo('copied.cjs'),
    'Cannot use import statement outside a module',
  ],
])('a worker file that %s rejects tasks at once, and the error says what to do', async (_, make, why) => {
  // Node.js warns, too, of the file that counts as CommonJS.
  await withPool({ workerUrl: make(), env: { NODE_NO_WARNINGS: '1' } }, async (pool) => {
    const failure = await failureOf(pool.run(1));
    expect(failure).toMatchObject({
      code: 'SLUICE_WORKER_FILE',
      cause: { message: expect.stringContaining(why) as string },
    });
    expect((failure as Error).message).toContain("Make '@sluice/worker-pool/worker' an entry point");
    expect(await failureOf(pool.run(1))).toBe(failure);
    // The pool started exactly one worker.
    expect(pool.stats()).toMatchObject({ workers: 0, replaced: 1 });
  });
});

function copyTo(name: string): string {
  copyFileSync(WORKER, join(scratch, name));
  return join(scratch, name);
}

// A deployment may replace the file at that moment.
test('a pool that has run before checks several times for its missing worker file before it rejects all tasks', async () => {
  const workerUrl = write('gone.mjs', `import ${JSON.stringify(pathToFileURL(WORKER).href)};`);
  await withPool({ workerUrl }, async (pool) => {
    expect(await pool.run(1)).toBe(1);
    rmSync(workerUrl);
    let exits = 0;
    pool.on('workerExit', () => (exits += 1));
    await pool.threads[0]?.terminate();
    expect(await failureOf(pool.run(2))).toBeInstanceOf(WorkerFileError);
    await until(() => exits > 2);
  });
});
