// The order in which arrivals and posts of a multilane semaphore go to its lanes.

import { times32 } from '@sluice/core/kernel';

/** The golden ratio as an odd 32-bit number: neighbouring rounds are far apart in the high bits of the product. */
const GOLDEN: i32 = -1640531527;
const MAX_BITS: i32 = 16;

/** Returns the bits that permute the lanes of a round. */
export function turnOf(round: i32, shuffled: i32): i32 {
  return shuffled === 0 ? 0 : times32(round, GOLDEN) >>> MAX_BITS;
}

/** Returns how many of the numbers below `low32(number)`, judged by the low 32 bits, belong to that lane. */
export function visits(number: i32, lane: i32, bits: i32, shuffled: i32): i32 {
  const mask = (1 << bits) - 1;
  const round = number >>> bits;
  return round + (((lane ^ turnOf(round, shuffled)) & mask) < (number & mask) ? 1 : 0);
}
