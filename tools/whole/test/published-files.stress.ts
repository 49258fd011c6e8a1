// Tests published files: which files they load, and how long their lines are. Node.js prints the whole line in which an
// uncaught error was thrown before its message, so no published file may have a long line.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const LONGEST_LINE = 400;
/** Without white space there are fewer places to break a line. */
const LONGEST_LINE_OF_PAGES = 700;
const MAX_BYTES = 4000;
/** The number of lines within which the message must be. */
const FIRST_LINES = 20;

const packages = fileURLToPath(new URL('../../../packages', import.meta.url));

/** A wrong call for each entry that a program imports, with the names of the module in scope as `m`. */
const CALLS: Readonly<Record<string, string>> = {
  'address-wait/index': "m.SharedWord.create('x')",
  'sluice/index': "m.Semaphore.create('x')",
  'sluice/page': "m.Semaphore.create('x')",
  'sluice/sluice': "m.Semaphore.create('x')",
  'sluice/drawing': "m.arenaSvg('x', 400)",
  'sluice/view': 'm.startView(7)',
  'sluice/watchdog': 'm.startWatchdog(7)',
  'auto-reset-event/index': 'm.AutoResetEvent.create(7)',
  'barrier/index': "m.Barrier.create('x')",
  'bounded-buffer/index': "m.BoundedBuffer.create({ capacity: 'x' })",
  'bounded-buffer/node-streams': 'm.toReadable(7)',
  'bounded-buffer/select': 'm.selectAsync(7)',
  'bounded-buffer/web-streams': 'm.toWebStream(7)',
  'broadcast/index': 'm.Broadcast.create(7)',
  'capacitor/index': 'm.CapacitorLock.create(7)',
  'core/index': "m.Semaphore.create('x')",
  'event/index': 'm.Once.create(7)',
  'inspect/index': 'm.formatReport(7)',
  'inspect/drawing': "m.arenaSvg('x', 400)",
  'inspect/view': 'm.startView(7)',
  'inspect/watchdog': 'm.startWatchdog(7)',
  'cache/index': 'm.SharedCache.create(7)',
  'limit/index': "m.createLimit('x')",
  'classics/index': 'm.TtsLock.create(7)',
  'mutex/index': 'm.Mutex.create(7)',
  'named/index': 'm.KeyedMutex.create(7)',
  'local/index': 'm.connect(7)',
  'postgres/index': 'm.connect(7)',
  'redis/index': 'm.connect(7)',
  'remote/index': "new m.Space(7).semaphore('a', 'b')",
  'rw-lock/index': 'm.RwLock.create(7)',
  'semaphores/index': "m.PrioritySemaphore.create('x')",
  'seq-lock/index': 'm.SeqLock.create(7)',
  'worker-pool/index': 'new m.WorkerPool(7)',
};

/** Entries for the packages themselves, for jsEngine, or without a call of their own. */
const WITHOUT_CALL = [
  'calls',
  'format',
  'internal',
  'js',
  'kernel',
  'lock-order',
  'msgpack',
  'report',
  'sluice-inspect',
  'sluice-js',
  'sluice-pool-worker',
  'sluice-view',
  'sluice-view-page',
  'sluice-watchdog',
  'sluice-why',
  'steps',
  'why',
];

function codeFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.c?js$/.test(file));
  return files.map((file) => join(folder, file));
}

const names = readdirSync(packages).filter((name) => existsSync(join(packages, name, 'dist')));
const built = names.flatMap((name) => codeFiles(join(packages, name, 'dist')));

test('no published file has a long line', () => {
  expect(built.length).toBeGreaterThan(100);
  const long = built.flatMap((file) => {
    const most = /sluice(-js)?\.js$/.test(file) ? LONGEST_LINE_OF_PAGES : LONGEST_LINE;
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.flatMap((line, index) =>
      line.length > most ? [`${file}:${index + 1} has ${line.length} characters`] : [],
    );
  });
  expect(long).toEqual([]);
});

test('CommonJS loads no ES module of its own package', () => {
  const commonJs = built.filter((file) => file.endsWith('.cjs'));
  expect(commonJs.length).toBeGreaterThan(50);
  const wrong = commonJs.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^.*\brequire\((['"])\.[^'"]*\.js\1\).*$/gm)].map(
      ([line]) => `${file}: ${line}`,
    ),
  );
  expect(wrong).toEqual([]);
});

test('each published entry has a wrong call in the table', () => {
  const entries = names.flatMap((name) =>
    readdirSync(join(packages, name, 'dist'))
      .filter((file) => file.endsWith('.js') && !file.startsWith('chunk-'))
      .map((file) => file.slice(0, -'.js'.length))
      .filter((entry) => !WITHOUT_CALL.includes(entry))
      .map((entry) => `${name}/${entry}`),
  );
  expect(entries.filter((entry) => CALLS[entry] === undefined)).toEqual([]);
});

const forms = Object.entries(CALLS).flatMap(([entry, call]) => {
  const [name = '', file = ''] = entry.split('/');
  return (['js', 'cjs'] as const)
    .map((form) => ({ title: `${entry}.${form}`, path: join(packages, name, 'dist', `${file}.${form}`), call, form }))
    .filter(({ path }) => existsSync(path));
});

test.each(forms)(
  'an uncaught wrong argument at $title prints its message near the top, and few bytes',
  ({ path, call, form }) => {
    const load =
      form === 'js'
        ? `const m = await import(${JSON.stringify(pathToFileURL(path).href)});`
        : `const m = require(${JSON.stringify(path)});`;
    const { status, stderr } = spawnSync(
      process.execPath,
      [`--input-type=${form === 'js' ? 'module' : 'commonjs'}`, '-e', `${load} ${call};`],
      { encoding: 'utf8' },
    );
    expect(status).toBe(1);
    const first = stderr.split('\n').slice(0, FIRST_LINES);
    expect(first.some((line) => /^(\w+)?(Type|Range|Misuse)Error.*: /.test(line))).toBe(true);
    // A frame names a function of this library, a line, and a column of that line.
    const [, column] = /\.c?js:\d+:(\d+)\)/.exec(stderr) ?? [];
    expect(Number(column)).toBeLessThanOrEqual(LONGEST_LINE_OF_PAGES);
    expect(Buffer.byteLength(stderr)).toBeLessThan(MAX_BYTES);
  },
);
