// Values that show whether they are torn: each word follows from the first word and the index.

import type { SeqValue } from '../../src/index.ts';

/** A value, or a snapshot of one. */
type Words = Pick<SeqValue, 'int32'>;

const mix = (seed: number, index: number): number => Math.imul(seed + index, 0x9e3779b1) ^ index;

/** Fills the value with the words that belong to that number. */
export function fill({ int32 }: Words, number: number): void {
  int32[0] = number;
  for (let index = 1; index < int32.length; index++) int32[index] = mix(number, index);
}

/** Returns the number of a value. Throws if the value is torn. */
export function numberIn({ int32 }: Words): number {
  const number = int32[0] ?? 0;
  for (let index = 1; index < int32.length; index++) {
    if (int32[index] !== mix(number, index))
      throw new Error(`A torn value: word ${index} does not belong to number ${number}.`);
  }
  return number;
}
