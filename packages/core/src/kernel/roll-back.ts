// Tickets that are last in line go back as if they had never been drawn, one tombstone after the other.
// The protocol, the table of gate states and the proof are in admit.ts.

import { chainOf, hasOwnChain } from './chain.ts';
import {
  AT,
  BLOCK_LINE,
  COUNT,
  FLAG_OWNED,
  FLAG_OWN_CHAIN,
  FLAGS,
  GRANT,
  HEADER_BUCKET_MASK,
  LEAVING,
  SEM,
  TICKET,
  WIDEST,
} from './layout.ts';
import { headKey } from './wait.ts';
import { cas32, cas64, clamp, get32, get64, load32, load64, minus, plus, wide } from './words.ts';
import type { ChainAddress, ElementAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/** The first ticket behind the element's own. */
export function ticketBehind(element: ElementAddress): i64 {
  return plus(get64(element + AT), wide(get32(element + COUNT)));
}

/** Whether no agent drew a ticket behind `end`. */
export function isLast(sem: LineAddress, end: i64): boolean {
  return load64(sem + TICKET) === end;
}

/**
 * Whether a waiter that cancels leaves its ticket in line, at a line with a chain of its own: its permit comes
 * nevertheless, and the kind's walk decides what becomes of it. A waiter with LEAVING set gives its ticket up as
 * anywhere else.
 */
export function keepsTicket(element: ElementAddress): boolean {
  return hasOwnChain(asLine(get32(element + SEM))) && get32(element + LEAVING) === 0;
}

/**
 * Whether the ticket is the last one. If the element serves another wait by now, the result means nothing and costs at
 * most an unnecessary walk.
 */
export function isAtEnd(element: ElementAddress): boolean {
  const sem = asLine(get32(element + SEM));
  // Of another wait: a wait on a word has the address of a 32-bit word there, and a load of 64 bits at such an address
  // traps.
  if ((sem & (BLOCK_LINE - 1)) !== 0) return true;
  // The kind's walk looks.
  return keepsTicket(element) || isLast(sem, ticketBehind(element));
}

/**
 * If the ticket is last in line, rolls it back as if it had never been drawn. The gate must no longer be that of a
 * waiter: with `jsEngine` an agent may die right after this, and the element would get the permit of the agent that
 * draws that ticket next.
 */
export function rollBack(element: ElementAddress): boolean {
  const sem = asLine(get32(element + SEM));
  const end = ticketBehind(element);
  return cas64(sem + TICKET, end, get64(element + AT)) === end;
}

/**
 * Records that a waiter of several permits cancels, before its element becomes a tombstone: the roll-back of the ticket
 * behind it must know how far back to look (`keysBefore`). False: another agent recorded its own at the same time, call
 * again.
 */
export function noteWidth(element: ElementAddress): boolean {
  const count = get32(element + COUNT);
  const sem = asLine(get32(element + SEM));
  if (count === 1 || hasOwnChain(sem)) return true;
  const widest = load32(sem + WIDEST);
  return widest >= count || cas32(sem + WIDEST, widest, count) === widest;
}

/**
 * Returns the number of keys before `end` at which the preceding tombstone can be, after the ticket counter was rolled
 * back to `end`. The tombstone of one permit, or of a waiter that was head of the line, is at the last of these keys.
 * That of n permits is at the n-th before the last (`waitsForHead`). No tombstone stays at a key before `GRANT`: the
 * release that raises `GRANT` past that key detaches its bucket. So a tombstone at the head of the line costs one key,
 * whatever its width.
 */
export function keysBefore(sem: LineAddress, end: i64): i32 {
  if ((get32(sem + FLAGS) & (FLAG_OWNED | FLAG_OWN_CHAIN)) !== 0) return 1;
  const widest = load32(sem + WIDEST);
  const buckets = get32(HEADER_BUCKET_MASK) + 1;
  if (widest < 2) return 1;
  const keys = clamp(minus(end, load64(sem + GRANT)), widest < buckets ? widest + 1 : buckets);
  return keys > 1 ? keys : 1;
}

/** The bucket of the tombstone of the ticket before, if that ticket was cancelled and wanted one permit. */
export function bucketBefore(element: ElementAddress): ChainAddress {
  return chainOf(asLine(get32(element + SEM)), headKey(element));
}
