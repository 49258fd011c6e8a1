// Which waits have become older than a limit since the last look, and when the next look is due.
//
// The next look is due when the oldest known wait reaches the limit, but at the latest one limit from now. A wait that
// begins after a look cannot reach the limit earlier. So no wait is missed. Each look comes a little later than that,
// so that the waits of a deadlock, which begin one shortly after the other, are found together.

import type { SeenWait } from './waits.ts';

/** The time in ms by which a look comes later. It also bounds the number of looks of a program with many waits. */
const LATER_MS = 100;

/** The result of a look. */
export interface StuckCheck {
  /** The waits that are too old and that no earlier look returned. */
  readonly stuck: readonly SeenWait[];
  /** ms until the next look. */
  readonly next: number;
}

/** The waits of one arena that are older than a limit. Returns each once. */
export class StuckWaits {
  readonly #after: number;
  /** Waits that a look has returned, and that one of the last two looks still found. */
  #returned: ReadonlySet<string> = new Set();
  #before: ReadonlySet<string> = new Set();

  /** `after`: ms. */
  constructor(after: number) {
    this.#after = after;
  }

  /** `now`: ms since 1970, on the clock of `since`. */
  look(read: () => readonly SeenWait[], now: number): StuckCheck {
    const returned = new Set<string>();
    const old: SeenWait[] = [];
    let due = now + this.#after;
    for (const wait of read()) {
      // A wait of several rounds is in no line for a moment, between two of them.
      if (this.#returned.has(wait.key) || this.#before.has(wait.key)) {
        returned.add(wait.key);
        continue;
      }
      const at = wait.since + this.#after;
      if (at <= now) old.push(wait);
      else due = Math.min(due, at);
    }
    // The words of a new wait are written one by one, so one read may find a wait that does not exist. A wait that a
    // second read finds, too, exists.
    const again = old.length === 0 ? undefined : new Set(read().map(({ key }) => key));
    const stuck = old.filter(({ key }) => again?.has(key));
    for (const { key } of stuck) returned.add(key);
    this.#before = this.#returned;
    this.#returned = returned;
    const next = stuck.length < old.length ? 0 : Math.min(due - now, this.#after);
    return { stuck, next: next + Math.min(LATER_MS, this.#after) };
  }
}
