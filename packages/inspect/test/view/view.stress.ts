// Programs in processes of their own that show themselves in a view, and what the page is told.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Arena } from '@sluice/core';
import { startView } from '@sluice/inspect/view';
import { afterEach, describe, expect, test } from 'vitest';
import type { ArenaFrame, Frame } from '../../src/view/frame.ts';
import { Child } from '../support/child.ts';

const VIEW: readonly string[] = ['--import', '@sluice/inspect/view'];
const URL_LINE = /^Sluice view, process \d+: (http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/)$/m;

const children: Child[] = [];

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
});

function start(file: string, value: string | undefined = '1', preload = VIEW, more = {}): Child {
  const child = new Child(file, value, preload, [], 'SLUICE_VIEW', more);
  children.push(child);
  return child;
}

async function urlOf(child: Child): Promise<string> {
  await child.says(URL_LINE);
  return URL_LINE.exec(child.stderr)?.[1] ?? '';
}

async function frame(url: string): Promise<Frame> {
  return (await (await fetch(`${url}frame`)).json()) as Frame;
}

/** The first frame of an arena that satisfies the condition. */
async function frameWith(url: string, isSo: (arena: ArenaFrame) => boolean): Promise<ArenaFrame> {
  for (;;) {
    const { arena, failure } = await frame(url);
    if (failure !== undefined) throw new Error(failure);
    if (arena !== undefined && isSo(arena)) return arena;
  }
}

const hasWait = ({ counts }: ArenaFrame): boolean => counts.waits > 0;

describe('while the main thread blocks for ever in acquire()', () => {
  test.each([
    ['--import', VIEW],
    // A CommonJS copy of the packages, beside the program's copy.
    ['--require', ['--require', '@sluice/inspect/view']],
  ])('the page of a view that is loaded by %s lives', async (_, preload) => {
    const url = await urlOf(start('blocks.mjs', '1', preload));
    const page = await (await fetch(url)).text();
    expect(page).toMatch(/^<!doctype html>/);
    const first = await frameWith(url, hasWait);
    expect(first.primitives).toMatchObject([{ name: 'jobs', kind: 'semaphore', waiters: [{ agent: 1 }] }]);
    expect(first.agents).toMatchObject([{ life: 'alive', waits: "semaphore 'jobs'" }]);
    const later = await frameWith(url, ({ now }) => now > first.now);
    expect(later.primitives[0]?.waiters[0]?.ms).toBeGreaterThan(first.primitives[0]?.waiters[0]?.ms ?? Infinity);
  });
});

test('the arena of a worker is shown while the main thread blocks without one', async () => {
  const url = await urlOf(start('arena-of-a-worker.mjs'));
  const { primitives } = await frameWith(url, hasWait);
  expect(primitives).toMatchObject([{ name: 'jobs of a worker', waiters: [{ agent: 1 }] }]);
});

test('the view and the watchdog run beside each other', async () => {
  const child = start('blocks.mjs', '1', [...VIEW, '--import', '@sluice/inspect/watchdog'], {
    SLUICE_WATCHDOG: '0.05',
  });
  await frameWith(await urlOf(child), hasWait);
  await child.says(/^Agents\n/m);
});

test('a blocked agent is asked for no sign of life, however long a page looks', async () => {
  if (process.platform !== 'linux') return;
  const url = await urlOf(start('blocks.mjs'));
  const { now } = await frameWith(url, hasWait);
  // A report that asks once a second stops after six answers.
  const { agents } = await frameWith(url, (arena) => arena.now > now + 8000);
  expect(agents[0]?.life).toBe('alive');
});

test('the view keeps no process alive, also while a page is connected, and the page ends with the process', async () => {
  const child = start('two-waits.mjs');
  const url = await urlOf(child);
  await frameWith(url, hasWait);
  child.tell('second');
  await frameWith(url, ({ counts }) => counts.waits === 2);
  child.tell('end');
  expect(await child.ended()).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test('killed workers are shown as they are, nothing is lost, and no frame fails', async () => {
  const child = start('kills.mjs');
  const url = await urlOf(child);
  let frames = 0;
  const end = child.ended();
  for (;;) {
    const seen = await frame(url).catch(() => undefined);
    if (seen === undefined) break;
    expect(seen.failure).toBe(undefined);
    expect(seen.arena?.findings.flat().join() ?? '').not.toMatch(/(^|,)Deadlock:/);
    frames += 1;
  }
  expect(await end).toBe(0);
  expect(child.stdout).toBe('nothing was lost\n');
  expect(frames).toBeGreaterThan(0);
});

test.each(['', '0', undefined])('SLUICE_VIEW=%s starts nothing', async (value) => {
  const child = new Child('ends.mjs', value, VIEW, [], 'SLUICE_VIEW');
  children.push(child);
  expect(await child.ended()).toBe(0);
  expect([child.stdout, child.stderr]).toEqual(['done\n', '']);
});

test.each(['yes', '-1', '65536', '7411x', '1e3'])('SLUICE_VIEW=%s ends the process with an error', async (value) => {
  const child = start('ends.mjs', value);
  expect(await child.ended()).toBe(1);
  expect(child.stderr).toContain(
    `RangeError: SLUICE_VIEW must be 1 for any free port, or a port such as 7411: received ${JSON.stringify(value)}`,
  );
});

test('if the port is taken, the program runs without a view and says so', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const child = start('ends.mjs', String(port));
  expect(await child.ended()).toBe(0);
  expect(child.stdout).toBe('done\n');
  expect(child.stderr).toMatch(/\[SLUICE_VIEW\] SluiceWarning: The view cannot serve its page: .*EADDRINUSE/);
  other.close();
});

test('a view whose files cannot be read is refused with the reason', async () => {
  const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
  // Beside the packages that the copy imports.
  const copy = mkdtempSync(fileURLToPath(new URL('../../node_modules/.without-page-', import.meta.url)));
  try {
    cpSync(dist, copy, { recursive: true, filter: (file) => !file.endsWith('sluice-view-page.js') });
    const copied = (await import(pathToFileURL(join(copy, 'view.js')).href)) as { startView: typeof startView };
    expect(() => copied.startView()).toThrow(
      /^The view cannot serve its page: ENOENT: .*sluice-view-page\.js.*No view was started\.$/,
    );
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('stop() ends the connections of clients that send and read nothing', async () => {
  const view = startView(Arena.create({ maxPages: 4 }));
  const { port, pathname } = new URL(view.url);
  const sent = ['', 'GET / HTTP/1.1\r\nHost: loc', `GET ${pathname} HTTP/1.1\r\nHost: localhost\r\n\r\n`];
  const clients = await Promise.all(
    sent.map(async (text) => {
      const client = connect(Number(port), '127.0.0.1');
      await once(client, 'connect');
      // What the server answers stays in the buffers of the connection.
      client.pause();
      if (text !== '') await new Promise<void>((resolve) => void client.write(text, () => resolve()));
      return client;
    }),
  );
  await view.stop();
  await expect(fetch(view.url)).rejects.toThrow();
  for (const client of clients) {
    client.on('error', () => undefined);
    client.resume();
    if (!client.closed) await once(client, 'close');
  }
});

describe('the command --view', () => {
  const COMMAND = fileURLToPath(new URL('../../dist/sluice-inspect.js', import.meta.url));
  const PROGRAM = fileURLToPath(new URL('../children/says-arguments.mjs', import.meta.url));

  async function command(...args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  test('runs a program with its arguments and a view, and ends as the program ends', async () => {
    const { code, stdout, stderr } = await command('--view', PROGRAM, '3', '--lines=x');
    expect([code, stdout]).toEqual([3, '3 --lines=x\n']);
    expect(stderr).toMatch(URL_LINE);
  });

  test.each([['--view'], ['--view=x', PROGRAM], ['--view=', PROGRAM]])('%j shows how it is used', async (...args) => {
    const { code, stderr } = await command(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Usage: /);
  });
});
