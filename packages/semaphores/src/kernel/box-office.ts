// The box office of a semaphore: a count of permits in front of the lines in which agents wait. The priority semaphore
// has one (levels.ts), and so has the lightweight semaphore of @sluice/classics.
//
//   count        an acquire                                     a release of n
//   > 0          takes one here                                 adds n
//   <= 0         counts itself here and draws a ticket inside    adds n, and releases min(n, -count) inside

import {
  BLOCK_TAG,
  GRANT,
  LEAVING,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  type AgentAddress,
  type Draw,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Try,
} from '@sluice/core/format';
import { add64, cas64, clamp, credit, load32, load64, minus, put32, queue, wide } from '@sluice/core/kernel';

/**
 * Takes at most `most` free permits. Returns their number, 0 if none is free, or RACED, or SHUT.
 *
 * @takes At most n free permits of a box office: `GRANT` (its count) less their number, by CAS
 * @leaves `ENTRY_HELD` + their number
 * @death Given back
 */
export function boxTake(box: LineAddress, tag: i32, entry: EntryAddress, most: i32): i32 {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  const count = load64(box + GRANT);
  const taken = clamp(count, most);
  if (taken === 0) return 0;
  if (cas64(box + GRANT, count, minus(count, wide(taken))) !== count) return RACED;
  credit(entry, wide(taken));
  return taken;
}

/**
 * Takes `count` permits if so many are free. Otherwise returns WAITING.
 *
 * @takes n permits: `GRANT` - n by CAS
 * @leaves `ENTRY_HELD` + n
 * @death Given back
 */
export function boxTakeAll(box: LineAddress, tag: i32, entry: EntryAddress, count: i32): Try {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  const free = load64(box + GRANT);
  const want = wide(count);
  if (free < want) return WAITING;
  if (cas64(box + GRANT, free, minus(free, want)) !== free) return RACED;
  credit(entry, want);
  return TAKEN;
}

/**
 * Draws a ticket inside, for an agent that the box office has counted. Returns TAKEN if its permit is available, or the
 * agent's spare element, which is then QUEUED.
 */
export function drawInside(inner: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Draw {
  const ticket = add64(inner + TICKET, wide(1));
  if (minus(load64(inner + GRANT), ticket) < wide(1)) return waitAt(inner, tag, agent, ticket);
  credit(entry, wide(1));
  return TAKEN;
}

/** Enters the inner line with that ticket. Returns the element. */
export function waitAt(inner: LineAddress, tag: i32, agent: AgentAddress, ticket: i64): ElementAddress {
  const element = queue(agent, inner, tag, 1, ticket);
  put32(element + LEAVING, 0);
  return element;
}
