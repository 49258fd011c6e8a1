// Agents in workers of their own, some blocked and some in async waits: each side has one FIFO queue.

import { Arena } from '@sluice/core';
import { withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { BoundedBuffer } from '../src/index.ts';
import type { LineData } from './jobs/line.mjs';
import { expectQuiet } from './support/rest.ts';

const jobs = new URL('./jobs/line.mjs', import.meta.url);
/** No timer of a test can end a blocked thread. */
const MAX_BLOCKED_MS = 20_000;

const WAYS = ['blocking', 'async', 'timed'] as const;

interface Fixture {
  readonly buffer: BoundedBuffer<number>;
  readonly group: { readonly jobs: URL; readonly seed: number; readonly dump: () => unknown };
}

function prepare(capacity: number): Fixture {
  const arena = Arena.create({ maxPages: 8 });
  const buffer = BoundedBuffer.create({ arena, codec: 'int32', capacity, name: 'line' });
  return { buffer, group: { jobs, seed: 1, dump: () => ({ buffer: buffer.inspect(), arena: arena.inspect() }) } };
}

test('waiting consumers, blocked or async, are served in order of arrival', async () => {
  const { buffer, group: options } = prepare(8);
  await withWorkers(options, async (group) => {
    const waits: Promise<unknown>[] = [];
    for (const [index, way] of WAYS.entries()) {
      const [job] = group.start<number>(1, 'take', () => ({ buffer: buffer.handle, value: 0, way }) satisfies LineData);
      if (job !== undefined) waits.push(job.result);
      await group.until(`consumer ${index} waits`, () => buffer.inspect().consumers.length === 2 * index + 1);
      waits.push(buffer.popAsync());
    }
    expect(buffer.inspect().consumers.map(({ kind }) => kind)).toEqual([
      'blocking',
      'async',
      'async',
      'async',
      'blocking',
      'async',
    ]);
    for (let value = 1; value <= 6; value++) {
      expect(buffer.tryPush(value, MAX_BLOCKED_MS)).toBe(true);
      expect(await Promise.race([waits[value - 1], group.failure])).toBe(value);
    }
    await group.results();
  });
  expectQuiet(buffer);
});

test('waiting producers, blocked or async, are served in order of arrival', async () => {
  const { buffer, group: options } = prepare(1);
  await withWorkers(options, async (group) => {
    buffer.push(0);
    const waits: Promise<unknown>[] = [];
    for (const [index, way] of WAYS.entries()) {
      group.start<number>(1, 'put', () => ({ buffer: buffer.handle, value: 2 * index + 1, way }) satisfies LineData);
      await group.until(`producer ${index} waits`, () => buffer.inspect().producers.length === 2 * index + 1);
      waits.push(buffer.pushAsync(2 * index + 2));
    }
    expect(buffer.inspect().producers.map(({ kind }) => kind)).toEqual([
      'blocking',
      'async',
      'async',
      'async',
      'blocking',
      'async',
    ]);
    for (let value = 0; value <= 6; value++) expect(await Promise.race([buffer.popAsync(), group.failure])).toBe(value);
    await Promise.all(waits);
    await group.results();
  });
  expectQuiet(buffer);
});

test('loops in workers share the values, and all end when the buffer is closed', async () => {
  const { buffer, group: options } = prepare(7);
  const count = 2000;
  await withWorkers(options, async (group) => {
    const consumers = group.start<number[]>(2, 'takeAll', () => ({ buffer: buffer.handle }));
    const producers = group.start<number>(1, 'putAll', () => ({ buffer: buffer.handle, first: 0, count }));
    for (let value = count; value < 2 * count; value++) await buffer.pushAsync(value);
    await Promise.race([Promise.all(producers.map(({ result }) => result)), group.failure]);
    buffer.close();
    const taken = await Promise.race([Promise.all(consumers.map(({ result }) => result)), group.failure]);
    for (const values of taken) {
      const halves = [values.filter((value) => value < count), values.filter((value) => value >= count)];
      // The values of each producer come out in the order in which it pushed them.
      for (const half of halves) expect(half).toEqual(half.toSorted((a, b) => a - b));
    }
    expect(taken.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 2 * count }, (_, value) => value));
    console.log(`2 × ${count} values: ${taken.map(({ length }) => length).join(' and ')} taken`);
  });
  expectQuiet(buffer);
});

test('close() ends the calls of workers that are blocked on either side', async () => {
  for (const job of ['put', 'take'] as const) {
    const { buffer, group: options } = prepare(1);
    if (job === 'put') buffer.push(0);
    const failed = withWorkers(options, async (group) => {
      group.start(1, job, () => ({ buffer: buffer.handle, value: 1, way: 'blocking' }) satisfies LineData);
      const { length } = buffer;
      await group.until(
        'the worker waits',
        () => buffer.inspect()[job === 'put' ? 'producers' : 'consumers'].length === 1,
      );
      buffer.close();
      expect(buffer.length).toBe(length);
      await group.results();
    });
    await expect(failed).rejects.toThrow('ClosedError');
  }
});
