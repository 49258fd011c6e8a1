// Rolls back tickets that are last in line, one tombstone after the other, as if no agent had drawn them. The protocol,
// the table of gate states and the proof are in admit.ts.

import { chainOf, hasOwnChain } from './chain.ts';
import {
  DRAWN,
  BLOCK_LINE,
  COUNT,
  FLAG_OWNED,
  FLAG_OWN_CHAIN,
  FLAGS,
  GRANT,
  HEADER_BUCKET_MASK,
  LEAVING,
  LINE,
  TICKET,
  WIDEST,
} from './layout.ts';
import { headKey } from './wait.ts';
import { cas32, cas64, clamp, get32, get64, load32, load64, minus, plus, wide } from './words.ts';
import type { ChainAddress, ElementAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/** Returns the first ticket behind the element's own. */
export function ticketBehind(element: ElementAddress): i64 {
  return plus(get64(element + DRAWN), wide(get32(element + COUNT)));
}

/** Whether no agent drew a ticket behind `end`. */
export function isLast(line: LineAddress, end: i64): boolean {
  return load64(line + TICKET) === end;
}

/**
 * Whether a waiter that cancels leaves its ticket in line, at a line with a chain of its own. Then the waiter's permit
 * still arrives, and the kind's walk decides how to use it. A waiter with LEAVING set gives its ticket up, as at any
 * other line.
 */
export function keepsTicket(element: ElementAddress): boolean {
  return hasOwnChain(asLine(get32(element + LINE))) && get32(element + LEAVING) === 0;
}

/**
 * Whether the ticket is the last one. If the element serves another wait by now, the result is meaningless and costs at
 * most an unnecessary walk.
 */
export function isAtEnd(element: ElementAddress): boolean {
  const line = asLine(get32(element + LINE));
  // The element serves another wait: a wait on a word stores the address of a 32-bit word here, and a 64-bit load at
  // such an address traps.
  if ((line & (BLOCK_LINE - 1)) !== 0) return true;
  // If the kind keeps the ticket, its walk has to look.
  return keepsTicket(element) || isLast(line, ticketBehind(element));
}

/**
 * If the ticket is last in line, rolls it back as if no agent had drawn it. The gate must no longer be a waiter's gate:
 * with `jsEngine` an agent may die right after this step. Then the element would get the permit of the agent that draws
 * that ticket next.
 */
export function rollBack(element: ElementAddress): boolean {
  const line = asLine(get32(element + LINE));
  const end = ticketBehind(element);
  return cas64(line + TICKET, end, get64(element + DRAWN)) === end;
}

/**
 * Records that a waiter of several permits cancels. Call it before its element becomes a tombstone: the roll-back of
 * the ticket behind it must know how far back to look (`keysBefore`). Returns false if another agent recorded its own
 * width at the same time: call again.
 */
export function noteWidth(element: ElementAddress): boolean {
  const count = get32(element + COUNT);
  const line = asLine(get32(element + LINE));
  if (count === 1 || hasOwnChain(line)) return true;
  const widest = load32(line + WIDEST);
  return widest >= count || cas32(line + WIDEST, widest, count) === widest;
}

/**
 * Returns the number of keys before `end` at which the preceding tombstone can be, after the ticket counter was rolled
 * back to `end`.
 *
 * The last of these keys has the tombstone of one permit, or of a waiter that was head of the line. The n-th key before
 * the last has the tombstone of n permits (`waitsForHead`). No tombstone stays at a key before `GRANT`, because the
 * release that raises `GRANT` past that key detaches its bucket. So a tombstone at the head of the line costs one key,
 * whatever its width.
 */
export function keysBefore(line: LineAddress, end: i64): i32 {
  if ((get32(line + FLAGS) & (FLAG_OWNED | FLAG_OWN_CHAIN)) !== 0) return 1;
  const widest = load32(line + WIDEST);
  const buckets = get32(HEADER_BUCKET_MASK) + 1;
  if (widest < 2) return 1;
  const keys = clamp(minus(end, load64(line + GRANT)), widest < buckets ? widest + 1 : buckets);
  return keys > 1 ? keys : 1;
}

/**
 * Returns the bucket of the tombstone of the ticket before this one, if that ticket was cancelled and wanted one
 * permit.
 */
export function bucketBefore(element: ElementAddress): ChainAddress {
  return chainOf(asLine(get32(element + LINE)), headKey(element));
}
