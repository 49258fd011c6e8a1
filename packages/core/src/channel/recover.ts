// What a dead agent leaves among those that wait on a condition.

import { records } from '../arena/pool.ts';
import type { Seat } from '../arena/seat.ts';
import { AT, GATE, HEADER_ELEMENT_POOL, HEADER_WATCHED, SEM } from '../kernel/layout.ts';
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
 * come to say so. Who begins to wait later sees the change itself.
 */
export function rouseWatchers(seat: Seat, record: number): void {
  const { words, kernel } = seat;
  if (words.load32(HEADER_WATCHED) === 0) return;
  const buckets = new Set<number>();
  for (const { record: element, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (owner === 0) continue;
    const gate = words.load32(element + GATE);
    if (gate === ON_WORD) notifyWord(seat, element);
    else if (isOnCondition(gate)) buckets.add(words.get32(element + SEM));
  }
  for (const bucket of buckets) {
    const sleepers = kernel.rouseAll(record, bucket);
    if (sleepers > 0) seat.notify(sleepers);
    seat.finishWalk(record);
  }
}

function notifyWord(seat: Seat, element: number): void {
  seat.parking.notify(Number(seat.words.get64(element + AT)));
}
