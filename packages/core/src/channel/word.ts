// Sleeping on a word that others change, without an element in a chain (WaitOnAddress).

import type { Seat } from '../arena/seat.ts';
import { MODE, MODE_BLOCKING } from '../kernel/layout.ts';
import { noteClaim, type Claim } from './waiting.ts';

/**
 * The longest sleep: then it looks whether the word is still what it was. Only a word that was freed and written again meanwhile
 * is not noticed otherwise.
 */
const LONGEST_NAP_MS = 1000;

/**
 * Blocks while the word at `address` is `expected`, until it is notified or `deadline`, a time of `parking.now`; may wake for no
 * reason. `sleepers`: the word that counts who sleeps, so that nobody is notified in vain; `claim`: at whose
 * semaphore that is. False: the time ran out.
 */
export function sleepOnWord(seat: Seat, sleepers: number, address: number, expected: number, deadline: number, claim?: Claim): boolean {
  const { kernel, parking } = seat;
  const element = seat.takeElement();
  // No lost wake-up, this end: counted first, and the platform looks at the word again before it sleeps. Who changes it looks at
  // the count afterwards.
  seat.words.put32(element + MODE, MODE_BLOCKING);
  noteClaim(seat, element, claim);
  kernel.sleepOn(element, sleepers, address, claim?.tag ?? 0);
  const left = deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
  const outcome = parking.wait(address, expected, Math.min(left, LONGEST_NAP_MS));
  if (outcome !== 'not-equal') seat.countPark();
  kernel.wakeUp(element);
  seat.keep(element);
  return outcome !== 'timed-out' || left > LONGEST_NAP_MS;
}
