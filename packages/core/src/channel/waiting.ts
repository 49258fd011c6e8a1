// Who waits for a semaphore's permits without a ticket: noted in the element, for reports.

import { records } from '../arena/pool.ts';
import type { Seat } from '../arena/seat.ts';
import { GATE, HEADER_ELEMENT_POOL, MODE, MODE_ASYNC, SINCE, TO } from '../kernel/layout.ts';
import { DOZING, ON_WORD, WATCHING } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Waiter } from '../semaphore/report.ts';

/** What a wait is for. */
export interface Claim {
  /** Of the semaphore. */
  readonly tag: number;
  /** 0: there is a ticket that says how many. */
  readonly permits: number;
}

/** Notes what a wait is for, or that it is for nothing: `TO` says nothing else on a condition. */
export function noteClaim({ words, parking }: Seat, element: number, claim: Claim | undefined): void {
  words.put32(element + TO, claim?.permits ?? 0);
  if (claim === undefined || claim.permits === 0) return;
  words.put32(element + TO + 4, claim.tag);
  words.put64(element + SINCE, BigInt(parking.date()));
}

/** All that wait for permits of the semaphore with that tag and have no tickets. */
export function waitersWithoutTicket(words: Words, tag: number): Waiter[] {
  const waiters: Waiter[] = [];
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    const gate = words.load32(record + GATE);
    const permits = words.get32(record + TO);
    if (owner === 0 || permits === 0 || (gate !== WATCHING && gate !== DOZING && gate !== ON_WORD)) continue;
    if (words.get32(record + TO + 4) !== tag) continue;
    const kind = words.get32(record + MODE) === MODE_ASYNC ? 'async' : 'blocking';
    waiters.push({ agent: owner, permits, kind, since: Number(words.get64(record + SINCE)) });
  }
  return waiters.sort((a, b) => a.since - b.since);
}
