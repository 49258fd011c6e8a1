// @ts-check
// Values that show whether they are torn, for jobs. Like support/checksum.ts.

/** @import { SeqValue } from '@sluice/seq-lock' */

const mix = (/** @type {number} */ seed, /** @type {number} */ index) => Math.imul(seed + index, 0x9e3779b1) ^ index;

/** @param {SeqValue} value @param {number} number */
export function fill({ int32 }, number) {
  int32[0] = number;
  for (let index = 1; index < int32.length; index++) int32[index] = mix(number, index);
}

/** Returns the number of a value. Throws if the value is torn. @param {Pick<SeqValue, 'int32'>} value */
export function numberIn({ int32 }) {
  const number = int32[0] ?? 0;
  for (let index = 1; index < int32.length; index++) {
    if (int32[index] !== mix(number, index))
      throw new Error(`A torn value: word ${index} of ${int32.length} does not belong to number ${number}.`);
  }
  return number;
}

/** @param {SeqValue} value */
export function next(value) {
  const number = numberIn(value) + 1;
  fill(value, number);
  return number;
}
