// A step that puts one int32 in, or takes one out. While no agent waits, a call consists of this step only. Words and
// invariants: sides.ts.

import { BLOCK_LINE, NEEDS_WALK, OWNER, TAKEN, type AgentAddress, type LineAddress } from '@sluice/core/format';
import { get32, get64, low32, put32, unsigned } from '@sluice/core/kernel';
import { tryEnter } from './enter.ts';
import { LINES, POSITION, RING_BYTES } from './layout.ts';
import { exitSide, move } from './exit.ts';
import { isProducers, producersOf } from './sides.ts';
import { WALK } from './outcomes.ts';

/**
 * Returns the address of a side's next value in the ring, which begins behind the lines. Its size is a power of two.
 */
function int32At(side: LineAddress): i32 {
  const block = producersOf(side) - BLOCK_LINE;
  return block + LINES * BLOCK_LINE + ((low32(get64(side + POSITION)) << 2) & (get32(block + RING_BYTES) - 1));
}

/**
 * Puts `value` in for a producer, or takes a value out for a consumer. A result of 0 or more means success: the low 32
 * bits are the value, and if the result is at least WALK, run the walk. Otherwise nothing was changed, and the result
 * is that of `tryEnter`.
 *
 * @takes One int32: as `enterSide`, then the value is written or read, then as `commitSide` of an agent that is not the head
 * @leaves `OFFICE`, then the slot, `POSITION`, `OFFICE`; the words from `AGENT_DUTY_KIND` on, as in `commitSide`
 * @death The value is in, or out: walk. With `jsEngine`, if the agent died before `POSITION`: as `enterSide`
 */
export function passInt32(side: LineAddress, tag: i32, agent: AgentAddress, value: i32): f64 {
  const seen = tryEnter(side, tag, get32(agent + OWNER), 1);
  if (seen !== TAKEN) return seen;
  const slot = int32At(side);
  if (isProducers(side)) put32(slot, value);
  const passed = get32(slot);
  move(side, 1, 1);
  return exitSide(side, agent) === NEEDS_WALK ? unsigned(passed) + WALK : unsigned(passed);
}
