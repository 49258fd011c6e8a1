// Programs in processes of their own, and what the watchdog writes about them to stderr.

import { afterEach, describe, expect, test } from 'vitest';
import { Child } from './support/child.ts';

/** A limit that the waits of these programs pass at once. */
const SOON = '0.05';
/** A limit that no wait passes. */
const NEVER = '3600';

const children: Child[] = [];

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
});

function start(...args: ConstructorParameters<typeof Child>): Child {
  const child = new Child(...args);
  children.push(child);
  return child;
}

describe('while the main thread blocks for ever in acquire(), the watchdog explains it, loaded by', () => {
  test.each([
    ['--import', ['--import', '@sluice/inspect/watchdog']],
    // A CommonJS copy of the packages, beside the program's copy.
    ['--require', ['--require', '@sluice/inspect/watchdog']],
  ])('%s', async (_, preload) => {
    const child = start('blocks.mjs', SOON, preload);
    await child.says(/^Agents\n.*agent 1 \(main thread\)/m);
    const [page = ''] = child.pages;
    const [first, second, third, fourth, fifth] = page.split('\n');
    expect(first).toBe('1 wait is older than 50 ms.');
    expect(second).toMatch(/^ {2}agent 1 \(main thread\) waits for semaphore 'jobs' for \d+ ms$/);
    expect(third).toMatch(/^ {2}The main thread blocks: /);
    expect(fourth).toBe('');
    expect(fifth).toBe('Nothing looks wrong: no deadlock, no dead agent.');
    expect(page).toContain('\n  agent 1 (main thread): blocks.mjs, node, ');
    expect(page).toContain(', 1 wait, 1 agent (arena ');
  });
});

test('the report of a buffer names its kind and what is waited for, though the thread has not loaded the package', async () => {
  const child = start('buffer.mjs', SOON);
  await child.says(/^Agents\n/m);
  const [page = ''] = child.pages;
  expect(page).toMatch(/^ {2}agent 1 \(main thread\) waits for buffer 'jobs' for \d+ ms$/m);
  expect(page).toMatch(/^ {2}buffer 'jobs': blocking wait for room, for \d+ ms: agent 1 \(main thread\)$/m);
});

test('each wait is reported once, async waits, too, and the process ends by itself', async () => {
  const child = start('two-waits.mjs', SOON);
  await child.says(/^Agents\n/m);
  child.tell('second');
  await child.says(/semaphore 'other'[^]*^Agents\n/m);
  child.tell('end');
  expect(await child.ended()).toBe(0);
  const heads = child.pages.map((page) => page.split('\n').slice(0, 3));
  expect(heads).toEqual([
    ['1 wait is older than 50 ms.', expect.stringMatching(/^ {2}agent 1 .* awaits semaphore 'one' for /), ''],
    ['1 wait is older than 50 ms.', expect.stringMatching(/^ {2}agent 1 .* awaits semaphore 'other' for /), ''],
  ]);
});

test('a process in which nothing waits ends by itself, and nothing is written', async () => {
  const child = start('ends.mjs', NEVER);
  expect(await child.ended()).toBe(0);
  expect([child.stdout, child.stderr]).toEqual(['done\n', '']);
});

test.each(['', '0', undefined])('SLUICE_WATCHDOG=%s starts nothing', async (seconds) => {
  const child = start('ends.mjs', seconds);
  expect(await child.ended()).toBe(0);
  expect([child.stdout, child.stderr]).toEqual(['done\n', '']);
});

test.each(['soon', '-1', '1e-9', '1e9', 'NaN'])(
  'SLUICE_WATCHDOG=%s ends the process with an error',
  async (seconds) => {
    const child = start('ends.mjs', seconds);
    expect(await child.ended()).toBe(1);
    expect(child.stderr).toContain(
      `RangeError: SLUICE_WATCHDOG must be a time in seconds, such as 5: received ${JSON.stringify(seconds)}`,
    );
  },
);

test('SIGUSR2 makes the watchdog write a report', async () => {
  const child = start('waits-for-a-line.mjs', NEVER);
  await child.prints('ready');
  child.process.kill('SIGUSR2');
  await child.says(/^Agents\n/m);
  expect(child.pages[0]).toMatch(/^A report was asked for\.\n\nNothing looks wrong/);
  expect(child.pages[0]).toContain("semaphore 'jobs': held by agent 1 (main thread)");
  child.tell('end');
  expect(await child.ended()).toBe(0);
});

test('an arena that only a worker has opened is watched, while the main thread blocks', async () => {
  const child = start('arena-of-a-worker.mjs', SOON);
  await child.says(/^Agents\n/m);
  expect(child.pages[0]).toMatch(
    /^ {2}agent 1 \(thread \d+, arena-of-a-worker\.mjs\) waits for semaphore 'jobs of a worker' for /m,
  );
});

test('workers are killed while the watchdog reads their arena: nothing is lost, and the watchdog goes on', async () => {
  const child = start('kills.mjs');
  expect(await child.ended()).toBe(0);
  expect(child.stdout).toBe('nothing was lost\n');
  // It has read while the workers were killed. A worker may be dead for a moment before it is recovered.
  expect(child.pages.length).toBeGreaterThan(0);
  expect(child.stderr).not.toMatch(/watched:|Error|^Deadlock:/m);
});

test('a watchdog that was stopped writes nothing more, was no agent of the arena, and keeps no process alive', async () => {
  const child = start('stops.mjs');
  expect(await child.ended()).toBe(0);
  expect(child.stdout).toBe('stopped 1\n');
  expect(child.pages).toHaveLength(1);
  expect(child.pages[0]).toMatch(/^A report was asked for\.\n/);
});
