// A bounded buffer: a ring between two sides, producers and consumers, each with a lock and a line to wait in.
//
// A side takes units: the producers take room, the consumers take values. The positions of both sides determine how
// many units a side has. An agent takes units while it owns its side's lock. If a caller finds too few units, it
// enqueues in the side's line, a semaphore with one permit. The agent that gets this permit is the head of the line.
// Only the head may take units of its side, and it stays the head until it has taken them. So values follow the order
// of the line. While no agent waits, no permit moves, and each side writes only to its own line.
//
//   word        value                                                      written by
//   OFFICE      the side's lock (core: competing-lock.ts)                  enterSide, lookAtSide, exitSide,
//                                                                          serveSide
//   POSITION    low half: units of room ever used (producers), ever given  commitSide: the owner of the lock
//               back (consumers) · high half: values ever written, ever
//               read · both wrap
//   SEEN        the other side's POSITION, as last seen                    the owner of the lock
//   ROOM        of the producers: units of room in the ring · of the       create
//               consumers: 0
//   HAS_HEAD    1: the permit is out: free, held by the head, or on its    serveSide, commitSide, lookAtSide:
//               way; then the lock carries a notice (NOTICE), and          the owner of the lock
//               `takeWord` refuses it
//   IN_PLACE    1: the owner of the lock has a claim or a peek open, so    in-place.ts, releaseSideForDeadOwner: the
//               the walk does not free the lock                            owner of the lock
//
// In the line that agents of a side wait in:
//
//   NEEDED      units that the head of the line sleeps for · 0: it does    side.ts: the head; wakeNeeded: CAS to 0
//               not sleep
//   tag         negative once no more units come: of the producers' line   closeSides, exitSide
//               once the buffer is closed, of the consumers' line once
//               the buffer is empty as well
//
// Behind these lines each side has a further line: a semaphore at which the head of the line sleeps until there are
// enough units.
//
// INVARIANTS
//
//   1. A value is in the buffer from the write of the producers' POSITION until the write of the consumers' POSITION.
//      An agent writes POSITION last. So an agent that dies before that write has put in nothing, or taken nothing.
//   2. While a line is open, HAS_HEAD is the number of permits at its semaphore, free or held. While an agent is in
//      line or is its head, a newcomer takes no units. So agents take units in the order of their tickets.
//   3. An agent that frees a side's lock then checks on both sides whether an agent waits for units that are available.
//      So an agent that finds the lock owned need not serve the line: the owner does when it leaves.
//
// NO WAKE-UP IS LOST. A consumer C draws its ticket, then compares the positions (`enqueueAtSide`, `mayAdmitHead`). A
// producer P writes its POSITION, frees the lock, then checks whether an agent waits (`commitSide`, `exitSide`). If C
// did not check after its ticket (the mutant "a waiter does not check for values that came before it slept"), P could
// miss C:
//
//   1. C finds no value.
//   2. P writes POSITION: one value is in the buffer.
//   3. P reads the consumers' line: no agent waits. It admits none.
//   4. C draws its ticket and sleeps. A value is there, and no agent admits C for it.
//
// With the check, C finds the value at step 4, and its walk admits C (`serveSides`). The head of the line sleeps in the
// same way: it writes NEEDED, then compares the positions as it frees the lock (`Side.redeem`, `exitSide`), and an
// agent that wrote POSITION then reads NEEDED (`isDue`, `wakeNeeded`; the mutant "the head of the line does not check
// again after it wrote NEEDED"). The two sides are symmetric.

import { asLine, BLOCK_LINE, BLOCK_TAG, GRANT, TICKET, type LineAddress } from '@sluice/core/format';
import { get32, get64, high32, load32, load64, low32, minus } from '@sluice/core/kernel';
import { MIN_UNITS, POSITION, ROOM, SEEN } from './layout.ts';

export function isProducers(side: LineAddress): boolean {
  return get32(side + ROOM) !== 0;
}

export function otherOf(side: LineAddress): LineAddress {
  return asLine(isProducers(side) ? side + BLOCK_LINE : side - BLOCK_LINE);
}

export function producersOf(side: LineAddress): LineAddress {
  return asLine(isProducers(side) ? side : side - BLOCK_LINE);
}

/** Returns the line in which the agents of a side wait. It lies behind the lines of both sides. */
export function semaphoreOf(side: LineAddress): LineAddress {
  return asLine(side + BLOCK_LINE + BLOCK_LINE);
}

/** Returns the line in which the head of the line waits for more units. */
export function moreOf(side: LineAddress): LineAddress {
  return asLine(semaphoreOf(side) + BLOCK_LINE + BLOCK_LINE);
}

/** Whether no more units will come: for producers once the buffer is closed, for consumers once it is also empty. */
export function isClosed(side: LineAddress): boolean {
  return load32(semaphoreOf(side) + BLOCK_TAG) < 0;
}

/** Returns the number of agents in line, including cancelled ones. Less than 0: the permit is free. */
export function inLine(side: LineAddress): i64 {
  return minus(load64(semaphoreOf(side) + TICKET), load64(semaphoreOf(side) + GRANT));
}

/** Returns the number of units between two positions. */
function units(side: LineAddress, own: i64, other: i64): i32 {
  const room = get32(side + ROOM);
  return room !== 0 ? room - ((low32(own) - low32(other)) | 0) : (high32(other) - high32(own)) | 0;
}

/**
 * Returns the number of available units. Reads the side's own position first: without the lock the result may be too
 * low, but never too high.
 */
export function unitsNow(side: LineAddress): i32 {
  const own = load64(side + POSITION);
  return units(side, own, load64(otherOf(side) + POSITION));
}

/** Returns the number of available units as `unitsNow` does, computed from SEEN. */
export function unitsSeen(side: LineAddress): i32 {
  return units(side, load64(side + POSITION), get64(side + SEEN));
}

/** Returns the smallest number of units that an agent of that side can want. */
export function leastOf(side: LineAddress): i32 {
  return isProducers(side) ? get32(side - BLOCK_LINE + MIN_UNITS) : 1;
}
