// Puts one int32 in, or takes one out, in one step. While no agent waits, this is all that a call does. Words and
// invariants: sides.ts.

import {
  BLOCK_LINE,
  get32,
  get64,
  low32,
  NEEDS_WALK,
  OWNER,
  put32,
  TAKEN,
  unsigned,
  type AgentAddress,
  type LineAddress,
} from '@sluice/core/kernel';
import { comeIn } from './enter.ts';
import { LINES, POSITION, RING_BYTES } from './layout.ts';
import { exitSide, move } from './leave.ts';
import { isProducers, producersOf } from './sides.ts';
import { WALK } from './states.ts';

/** Where the next value of a side lies in the ring, which begins behind the lines. Its size is a power of two. */
function int32At(side: LineAddress): i32 {
  const block = producersOf(side) - BLOCK_LINE;
  return block + LINES * BLOCK_LINE + ((low32(get64(side + POSITION)) << 2) & (get32(block + RING_BYTES) - 1));
}

/**
 * For a producer: puts `value` in. For a consumer: takes a value out. 0 or more: done, the low 32 bits are the value,
 * and from WALK on the walk is to be run. Otherwise nothing is done, and the result is that of `comeIn`.
 *
 * @takes One int32: as `enterSide`, then the value is written or read, then as `commit` without the turn
 * @leaves `OFFICE`, then the slot, `POSITION`, `OFFICE`; the words from `AGENT_DUTY_KIND` on, as in `commit`
 * @death In, or out: walk. With `jsEngine`, before `POSITION`: as `enterSide`
 */
export function passInt32(side: LineAddress, tag: i32, agent: AgentAddress, value: i32): f64 {
  const seen = comeIn(side, tag, get32(agent + OWNER), 1);
  if (seen !== TAKEN) return seen;
  const slot = int32At(side);
  if (isProducers(side)) put32(slot, value);
  const passed = get32(slot);
  move(side, 1, 1);
  return exitSide(side, agent) === NEEDS_WALK ? unsigned(passed) + WALK : unsigned(passed);
}
