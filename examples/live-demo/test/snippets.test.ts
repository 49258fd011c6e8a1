// Runs the code beside each scene, with workers of Node.js in the place of a page's workers.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { places } from '../../../docs/site/build/places.mjs';

const FOLDER = fileURLToPath(new URL('../public/snippets', import.meta.url));
/** Below the example, so that `sluice` is found. */
const CACHE = fileURLToPath(new URL('../.cache', import.meta.url));
const SCENES = readFileSync(fileURLToPath(new URL('../src/page/scenes.ts', import.meta.url)), 'utf8');
const names = readdirSync(FOLDER).map((name) => basename(name, '.js'));

/** How often each worker passes before the program ends. */
const PASSES = 20;
const WORKERS = 4;
const MOST_LINES = 16;

/** What the snippets take for granted in a page. */
const PAGE = `
import { Worker } from 'node:worker_threads';
const passes = new Int32Array(new SharedArrayBuffer(4 * ${WORKERS}));
const workers = Array.from({ length: ${WORKERS} }, (_, index) =>
  new Worker(new URL('worker.mjs', import.meta.url), { workerData: { passes, index } }));
for (const worker of workers) worker.on('error', (failure) => { console.error(failure); process.exit(1); });
const look = setInterval(() => {
  if (!passes.every((count) => count >= ${PASSES})) return;
  clearInterval(look);
  console.log('all passed');
  process.exit(0);
}, 5);
`;

/** And in a worker. */
const WORKER = `
import { parentPort, workerData } from 'node:worker_threads';
const pass = () => Atomics.add(workerData.passes, workerData.index, 1);
let onmessage;
parentPort.once('message', (data) => onmessage({ data }));
`;

let folder: string;

beforeAll(() => {
  mkdirSync(CACHE, { recursive: true });
  folder = mkdtempSync(join(CACHE, 'snippets-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function partsOf(name: string): { readonly page: string; readonly worker: string } {
  const [, page = '', worker = ''] = readFileSync(join(FOLDER, `${name}.js`), 'utf8').split(/^\/\/ \w+\.js$/m);
  return { page, worker };
}

test('each scene has its code, and the page that it names is there', () => {
  const ids = [...SCENES.matchAll(/ {4}id: '(\w+)',\n {4}page: '([^']+)'/g)];
  expect(ids.map(([, id]) => id).sort()).toEqual([...names].sort());
  const pages = places().map(({ page }) => page);
  for (const [, , page] of ids) expect(pages).toContain(`${page}.md`);
});

test.each(names)('the code of the scene "%s" is short, and lets all workers pass', async (name) => {
  const { page, worker } = partsOf(name);
  expect(`${page}${worker}`.trim().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  const there = join(folder, name);
  mkdirSync(there);
  writeFileSync(join(there, 'page.mjs'), PAGE + page);
  writeFileSync(join(there, 'worker.mjs'), WORKER + worker);
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [join(there, 'page.mjs')], (_, stdout, stderr) => resolve(stdout + stderr));
  });
  expect(output).toBe('all passed\n');
});
