// Keys with one hash and one length.

import { hashOf } from '../../src/table/key.ts';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** Units whose states differ by this much have nearly the same product with the prime. */
const APART = 0xa2ff;

/** Returns two different keys of two code units with the same hash. */
export function alike(): readonly [string, string] {
  for (let first = 0; first < 0x10000; first++) {
    const state = OFFSET ^ first;
    const other = ((state - APART) ^ OFFSET) >>> 0;
    if (other > 0xffff) continue;
    const apart = Math.imul(state, PRIME) ^ Math.imul(state - APART, PRIME);
    if (apart >>> 16 !== 0) continue;
    const pair = [String.fromCharCode(first, 0x61), String.fromCharCode(other, 0x61 ^ apart)] as const;
    if (hashOf(pair[0]) === hashOf(pair[1]) && pair[0] !== pair[1]) return pair;
  }
  throw new Error('No two such keys exist.');
}
