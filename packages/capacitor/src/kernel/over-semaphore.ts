// The step of a capacitor over a separate semaphore (Dice, Listing 1, in which it is a ticket semaphore). Agents arrive
// by acquiring a permit of the semaphore, and wait and cancel there. The capacitor has two words that change, and no
// waiters.
//
//   word    value                                                           written by
//   LIMIT   B: how many agents the next platoon admits                      create
//   TALLY   departures still to come before the capacitor opens, 1 or more  departOverCapacitor
//   GATE    the semaphore: its address, and in GATE_TAG its tag              create
//   entry   of the semaphore: how often this agent arrived and has not departed, and B more while it opens
//
// INVARIANTS
//
//   1. TALLY = free permits of the semaphore + agents inside. So TALLY becomes 0 only when the last agent inside
//      departs and no permit is free. No other agent reads TALLY until the B permits are out.
//   2. The agent that departs last gets the B permits of the next platoon in the same step, and then releases them. If
//      it dies before that, the recovery of the semaphore releases them.
//   3. The recovery of an agent that died inside releases its permit, and the next waiter joins the same platoon. So
//      every permit departs once.

import { BLOCK_TAG, FOREIGN, IDLE, LIMIT, SHUT, TAKEN, type EntryAddress, type LineAddress } from '@sluice/core/format';
import { add32, get64, load32, minus, plus, put32, put64, wide } from '@sluice/core/kernel';
import { TALLY } from './layout.ts';

/**
 * Makes one departure. Returns IDLE if more departures are to come. Returns TAKEN if it was the last: the agent now has
 * the B permits of the next platoon, and must release them. Returns FOREIGN if the agent is not inside.
 *
 * @takes A place inside a capacitor over a semaphore: `TALLY` - 1. The last departure: B permits of the semaphore, and
 *   `TALLY` to B
 * @leaves `ENTRY_HELD` of the semaphore - 1; the last departure also + B
 * @death The permits that it holds are given back
 */
export function departOverCapacitor(
  capacitor: LineAddress,
  tag: i32,
  entry: EntryAddress,
): typeof IDLE | typeof TAKEN | typeof SHUT | typeof FOREIGN {
  if (load32(capacitor + BLOCK_TAG) !== tag) return SHUT;
  const inside = get64(entry);
  if (inside <= wide(0)) return FOREIGN;
  // Less than 0 only with `jsEngine`: an agent died after it had taken the last departure.
  if (add32(capacitor + TALLY, -1) > 1) {
    put64(entry, minus(inside, wide(1)));
    return IDLE;
  }
  const platoon = load32(capacitor + LIMIT);
  // Write this before TALLY: with `jsEngine` an agent may die in between. A second platoon is better than none.
  put64(entry, plus(inside, wide(platoon - 1)));
  put32(capacitor + TALLY, platoon);
  return TAKEN;
}
