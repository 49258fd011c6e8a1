// The real limit in virtual time, with a server that saturates, and with one whose capacity changes.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { openControlledLimit } from '../../src/control/open-control.ts';
import type { Limit } from '../../src/index.ts';
import '../support/kernel.ts';
import { clockOf, limitOf, Loop } from './support/loop.ts';
import { exponential, Server } from './support/server.ts';

const arena = Arena.create({ maxPages: 64 });
/** The sizes at which a limit may rest if the server serves 10 calls at a time: the upper half of a tolerance of 1.5. */
const AT_REST = [12, 13, 14, 15];

function expectFound(limit: Limit): void {
  const { concurrency, adaptive } = limit.inspect();
  expect(AT_REST).toContain(concurrency);
  expect(adaptive?.baseline).toBe(10);
}

describe('a limit whose server saturates', () => {
  test('finds its size from below, and stays there', async () => {
    const server = new Server(10);
    const limit = limitOf(server, { adaptive: { min: 1, max: 100 }, arena });
    const loop = new Loop(server, [limit], 150);
    await loop.run(1000);
    expectFound(limit);
    const { size } = loop;
    expect(new Set(await loop.run(1500))).toEqual(new Set([size]));
    await loop.end();
  });

  test('finds its size from above: the first latencies are not taken for those without load', async () => {
    const server = new Server(10);
    const limit = limitOf(server, { adaptive: { min: 1, max: 200, initial: 100 }, arena });
    const loop = new Loop(server, [limit], 250);
    await loop.run(2500);
    expectFound(limit);
    await loop.end();
  });

  test('finds its size if service times differ by more than the tolerance', async () => {
    const server = new Server(10, 10, exponential);
    const limit = limitOf(server, { adaptive: { min: 1, max: 100 }, arena });
    const loop = new Loop(server, [limit], 150);
    await loop.run(1500);
    const sizes = await loop.run(2000);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20);
    await loop.end();
  });

  test.each([
    ['min', { min: 20, max: 40 }, 20],
    ['max', { min: 1, max: 6 }, 6],
  ])('stays at %s if the size of the server is beyond it', async (_, adaptive, at) => {
    const server = new Server(10);
    const limit = limitOf(server, { adaptive, arena });
    const loop = new Loop(server, [limit], 80);
    const sizes = await loop.run(1500);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(adaptive.min);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(adaptive.max);
    if (at === adaptive.max) expect(loop.size).toBe(at);
    await loop.end();
  });
});

test('a limit follows a server whose capacity falls and rises', async () => {
  const server = new Server(20);
  const limit = limitOf(server, { adaptive: { min: 1, max: 200 }, arena });
  const loop = new Loop(server, [limit], 250);
  await loop.run(2500);
  const found: number[] = [loop.size];
  for (const capacity of [5, 40, 20]) {
    server.capacity = capacity;
    await loop.run(4000);
    found.push(loop.size);
    // A server with this capacity and this many calls serves each of them in time.
    expect(loop.size / capacity).toBeLessThanOrEqual(1.5);
    expect(loop.size / capacity).toBeGreaterThanOrEqual(1);
  }
  expect(limit.inspect().adaptive?.baseline).toBe(10);
  await loop.end();
});

test('a limit follows a server that becomes slower for every call, and faster again', async () => {
  const server = new Server(10);
  const limit = limitOf(server, { adaptive: { min: 1, max: 100 }, arena });
  const loop = new Loop(server, [limit], 120);
  await loop.run(1000);
  for (const mean of [30, 10]) {
    server.mean = mean;
    await loop.run(4000);
    expect(limit.inspect().adaptive?.baseline).toBeCloseTo(mean, 0);
    expect(loop.size).toBeGreaterThanOrEqual(10);
    expect(loop.size).toBeLessThanOrEqual(16);
  }
  await loop.end();
});

test('a limit that its callers do not use up does not grow', async () => {
  const server = new Server(10);
  const limit = limitOf(server, { adaptive: { min: 1, max: 100, initial: 8 }, arena });
  const loop = new Loop(server, [limit], 4);
  const sizes = await loop.run(1500);
  // It may measure the baseline at half the size.
  expect(Math.max(...sizes)).toBe(8);
  await loop.end();
});

test('agents share the size and the samples of a limit', async () => {
  const server = new Server(10);
  const first = limitOf(server, { adaptive: { min: 1, max: 100 }, arena });
  const others = [1, 2].map(() =>
    openAs(secondAgent(arena), first.handle, (handle) => openControlledLimit(handle, {}, clockOf(server))),
  );
  const limits = [first, ...others];
  const loop = new Loop(server, limits, 150);
  await loop.run(1500);
  for (const limit of limits) expectFound(limit);
  expect(others[0]?.inspect().adaptive).toEqual(first.inspect().adaptive);
  expect(limits.every((limit) => limit.activeCount > 0)).toBe(true);
  await loop.end();
});

test('a limit with an interval is adaptive, too', async () => {
  const server = new Server(10);
  const options = { adaptive: { min: 1, max: 100 }, interval: 1, intervalCap: 100, arena };
  const limit = limitOf(server, options);
  const loop = new Loop(server, [limit], 60);
  await loop.run(1000);
  expectFound(limit);
  expect(limit.inspect().interval?.intervalCap).toBe(100);
  await loop.end();
});
