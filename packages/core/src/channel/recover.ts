// What a dead agent leaves among those that wait on a condition.

import { records } from '../arena/pool.ts';
import type { Seat } from '../arena/seat.ts';
import { AT, BUCKETS, BUCKET_SHIFT, GATE, HEADER_BUCKET_MASK, HEADER_ELEMENT_POOL, HEADER_TOP, HEADER_WATCHED } from '../kernel/layout.ts';
import { DOZING, GONE, ON_WORD, RACED, WATCHING, WOKEN } from '../kernel/states.ts';

export function isOnCondition(gate: number): boolean {
  return gate === WATCHING || gate === DOZING || gate === WOKEN || gate === ON_WORD;
}

/** Ends a dead agent's wait. False: its element stays in its chain, for whoever comes to wake it. */
export function abandonWatch(seat: Seat, record: number, element: number, gate: number): boolean {
  const { kernel } = seat;
  if (gate === ON_WORD) {
    notifyWord(seat, element);
    kernel.wakeUp(element);
    return true;
  }
  let left: number;
  do left = kernel.desert(record, element);
  while (left === RACED);
  seat.finishWalk(record);
  return left !== GONE;
}

/**
 * Wakes all that wait on a condition, so that each looks again: the dead agent may have changed what they wait for and not have
 * come to say so. Who looks at its condition later sees the change itself.
 */
export function rouseWatchers(seat: Seat, record: number): void {
  const { words, kernel } = seat;
  if (words.load32(HEADER_WATCHED) === 0) return;
  for (const { record: element, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (owner !== 0 && words.load32(element + GATE) === ON_WORD) notifyWord(seat, element);
  }
  // All of them: who looked at its condition and is not in a chain yet knows by the bucket's counts that it has to look again.
  for (let index = words.get32(HEADER_BUCKET_MASK); index >= 0; index--) {
    const sleepers = kernel.rouseAll(record, BUCKETS + (index << BUCKET_SHIFT));
    if (sleepers > 0) seat.notify(sleepers);
    seat.finishWalk(record);
  }
}

function notifyWord({ words, parking }: Seat, element: number): void {
  const word = Number(words.get64(element + AT));
  // Its wait may be over, and this another one's ticket by now.
  if (word > 0 && word % 4 === 0 && word < words.load32(HEADER_TOP)) parking.notify(word);
}
