import { expect, test } from 'vitest';
import { generatorWords, seedGenerator, stepGenerator } from '../src/lib/mt19937.mjs';

/** What the generator gives next, unsigned as in its publications. */
function numbers(words: Int32Array, count: number): number[] {
  return Array.from({ length: count }, () => stepGenerator(words) >>> 0);
}

function seeded(seed: number): Int32Array {
  const words = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * generatorWords));
  seedGenerator(words, seed);
  return words;
}

test('the first numbers are those of the Mersenne Twister with its default seed', () => {
  expect(numbers(seeded(5489), 5)).toEqual([3499211612, 581869302, 3890346734, 3586334585, 545404204]);
});

test('the 10,000th number is the one that the C++ standard requires of mt19937', () => {
  expect(numbers(seeded(5489), 10_000).at(-1)).toBe(4123659995);
});

test('threads that share the words share one sequence', () => {
  const words = seeded(5489);
  const elsewhere = new Int32Array(words.buffer);
  const taken = Array.from({ length: 2000 }, (_, i) => stepGenerator(i % 2 === 0 ? words : elsewhere) >>> 0);
  expect(taken).toEqual(numbers(seeded(5489), 2000));
});

test('another seed gives other numbers', () => {
  expect(numbers(seeded(1), 3)).toEqual([1791095845, 4282876139, 3093770124]);
});
