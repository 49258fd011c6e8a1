// Values follow the queue: agents that are parked in a known order get values, or push them, in that order. It does not
// matter how many are released at once, and which of them wakes first.

import { Arena } from '@sluice/core';
import { byDepth, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { BoundedBuffer } from '../src/index.ts';
import { COMES, ROUND, ROW, type RowData } from './jobs/line.mjs';
import { expectQuiet } from './support/rest.ts';

const jobs = new URL('./jobs/line.mjs', import.meta.url);
const ROUNDS = byDepth({ quick: 10, ci: 40, full: 40 });
const PLACES = Array.from({ length: ROW }, (_, index) => index);

/** Which agents wait without blocking. */
const MIXES = [
  { mix: 'blocked', isAsync: () => false },
  { mix: 'blocking and async in turn', isAsync: (index: number) => index % 2 === 1 },
];

interface Row {
  readonly buffer: BoundedBuffer<number>;
  readonly way: RowData['way'];
  readonly isAsync: (index: number) => boolean;
  /** Releases all agents of round `round` at once. */
  readonly free: (round: number) => unknown;
  /** Runs when they have left, before they arrive again. */
  readonly after?: (round: number) => unknown;
}

/** The values that each agent took, by round. */
async function standInRow({ buffer, way, isAsync, free, after }: Row): Promise<number[][]> {
  const words = new SharedArrayBuffer(8);
  const view = new Int32Array(words);
  Atomics.store(view, COMES, -1);
  const side = way === 'take' ? 'consumers' : 'producers';
  return withWorkers({ jobs, seed: 1, dump: () => buffer.inspect() }, async (group) => {
    const workers = group.start<number[]>(ROW, 'standInRow', (index) => {
      return { buffer: buffer.handle, words, rounds: ROUNDS, way, async: isAsync(index) } satisfies RowData;
    });
    for (let round = 0; round < ROUNDS; round++) {
      for (const index of PLACES) {
        Atomics.store(view, COMES, round * ROW + index);
        Atomics.notify(view, COMES);
        await group.until(`agent ${index} waits`, () => buffer.inspect()[side].length === index + 1);
      }
      await free(round);
      await group.until('all agents leave', () => Atomics.load(view, ROUND) === (round + 1) * ROW);
      await after?.(round);
    }
    return Promise.all(workers.map(({ result }) => result));
  });
}

function numbers(capacity: number): BoundedBuffer<number> {
  return BoundedBuffer.create({ arena: Arena.create({ maxPages: 8 }), codec: 'int32', capacity, name: 'row' });
}

/** Returns the rounds in which the values did not follow the queue. */
function wrong(rounds: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return rounds.filter((values) => values.some((value, index) => value !== index));
}

test.each(MIXES)('waiting consumers, $mix, get the values of several pushes in queue order', async ({ isAsync }) => {
  const buffer = numbers(ROW);
  const free = (): void => {
    for (const value of PLACES) buffer.push(value);
  };
  const taken = await standInRow({ buffer, way: 'take', isAsync, free });
  const rounds = Array.from({ length: ROUNDS }, (_, round) => taken.map((values) => values[round] ?? -1));
  expect(wrong(rounds)).toEqual([]);
  expectQuiet(buffer);
});

test.each(MIXES)(
  'the values of waiting producers, $mix, come out in queue order after one popMany()',
  async ({ isAsync }) => {
    const buffer = numbers(ROW);
    const filler = PLACES.map(() => -1);
    const rounds: number[][] = [];
    buffer.pushMany(filler);
    const free = (): void => expect(buffer.popMany(ROW)).toEqual(filler);
    const after = (): void => {
      rounds.push(buffer.popMany(ROW));
      buffer.pushMany(filler);
    };
    await standInRow({ buffer, way: 'put', isAsync, free, after });
    expect(rounds).toHaveLength(ROUNDS);
    expect(wrong(rounds)).toEqual([]);
    buffer.popMany();
    expectQuiet(buffer);
  },
);

test('waiting consumers get the remaining values in queue order when the buffer is closed', async () => {
  const buffer = numbers(ROW);
  // Not with `standInRow`: each buffer is closed once.
  for (let round = 0; round < 10; round++) {
    const closing = numbers(ROW);
    const words = new SharedArrayBuffer(8);
    const view = new Int32Array(words);
    Atomics.store(view, COMES, -1);
    await withWorkers({ jobs, seed: 1, dump: () => closing.inspect() }, async (group) => {
      const workers = group.start<number[]>(4, 'standInRow', () => {
        return { buffer: closing.handle, words, rounds: 1, way: 'take', async: false } satisfies RowData;
      });
      for (const index of [0, 1, 2, 3]) {
        Atomics.store(view, COMES, index);
        Atomics.notify(view, COMES);
        await group.until('the consumer waits', () => closing.inspect().consumers.length === index + 1);
      }
      closing.pushMany([0, 1, 2, 3]);
      closing.close();
      expect(await Promise.all(workers.map(({ result }) => result))).toEqual([[0], [1], [2], [3]]);
    });
  }
  expectQuiet(buffer);
});
