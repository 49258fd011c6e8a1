import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { draw, population, step } from '../src/life.mjs';
import { run } from '../src/run.mjs';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 180_000;

const start = (...args: string[]) =>
  spawnSync(execPath, [main, ...args], { encoding: 'utf8', timeout: THREADS_MS, killSignal: 'SIGKILL' });

describe('the rules', () => {
  test('the gun emits a glider every 30 generations', () => {
    const size = 80;
    let [board, next] = [new Uint8Array(size * size), new Uint8Array(size * size)];
    draw(readFileSync(new URL('../patterns/gosper-gun.rle', import.meta.url), 'utf8'), board, size, 2, 2);
    expect(population(board)).toBe(36);
    for (let generation = 1; generation <= 90; generation++) {
      step(board, next, size, 0, size);
      [board, next] = [next, board];
      if (generation % 30 === 0) expect(population(board)).toBe(36 + generation / 6);
    }
  });
});

describe('several workers', () => {
  test.each([1, 2, 5])('%d workers compute the same boards as one', { timeout: THREADS_MS }, (workers) => {
    const { status, stdout, stderr } = start('--workers', String(workers), '--generations', '90');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^90 generations by \d workers in \d+ ms: 51 cells are alive\nthe gun and 3 gliders: ok$/m);
    expect(status).toBe(0);
  });

  test('no worker waits forever for a dead one', { timeout: THREADS_MS }, async () => {
    const threads: Worker[] = [];
    const ends: Promise<unknown>[] = [];
    const right = await run({ generations: 30_000, workers: 3 }, (thread) => {
      threads.push(thread);
      ends.push(once(thread, 'exit'));
      if (threads.length === 3) thread.once('online', () => void thread.terminate());
    });
    expect(right).toBe(false);
    await Promise.all(ends);
  });

  test.each([
    [['--workers', '0'], '--workers must be a whole number from 1 to 32: received 0'],
    [['--generations', '31'], '--generations must be a multiple of 30: received 31'],
    [['--board', 'big'], "Unknown option '--board'"],
  ])('invalid options are reported: %j', (args, message) => {
    const { status, stderr } = start(...args);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });

  test('--help prints the usage', () => {
    expect(start('--help').stdout).toMatch(/^Usage: /);
  });
});
