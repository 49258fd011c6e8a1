// One int32 in, or out, in one step: where no agent waits, this is all that a call does. Words and invariants: sides.ts.

import {
  BLOCK_LINE,
  get32,
  get64,
  IDLE,
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
import { producersOf } from './sides.ts';
import { WALK, type ComeIn } from './states.ts';

/** Where the next value of a side lies in the ring, which begins behind the lines. Its size is a power of two. */
function int32At(side: LineAddress): i32 {
  const block = producersOf(side) - BLOCK_LINE;
  return block + LINES * BLOCK_LINE + ((low32(get64(side + POSITION)) << 2) & (get32(block + RING_BYTES) - 1));
}

/** Puts `value` in. IDLE, NEEDS_WALK: it is in, and the rest is as of `exitSide`. Otherwise it is not in, and the result is that of `comeIn`. */
export function pushInt32(side: LineAddress, tag: i32, agent: AgentAddress, value: i32): Exclude<ComeIn, typeof TAKEN> | typeof IDLE | typeof NEEDS_WALK {
  const seen = comeIn(side, tag, get32(agent + OWNER), 1);
  if (seen !== TAKEN) return seen;
  put32(int32At(side), value);
  move(side, 1, 1);
  return exitSide(side, agent) === NEEDS_WALK ? NEEDS_WALK : IDLE;
}

/**
 * Takes a value out. 0 or more: it is out, the low 32 bits are the value, and from WALK on the walk is to be run. Otherwise no value is out,
 * and the result is that of `comeIn`.
 */
export function popInt32(side: LineAddress, tag: i32, agent: AgentAddress): f64 {
  const seen = comeIn(side, tag, get32(agent + OWNER), 1);
  if (seen !== TAKEN) return seen;
  const value = get32(int32At(side));
  move(side, 1, 1);
  return exitSide(side, agent) === NEEDS_WALK ? unsigned(value) + WALK : unsigned(value);
}
