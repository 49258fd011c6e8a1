// Finds dead agents by asking all of them from time to time, where no event tells of a worker's end. One for each arena of
// a realm, however many watches there are: each question uses up a token.

import { setRef } from '../keep-alive.ts';
import { AGENT_ARMED, HEADER_AGENT_POOL } from '../kernel/layout.ts';
import { ARMED_WAITS } from './life.ts';
import { records } from './pool.ts';
import { allOf, hasLeft, recover, tidy, type ReclaimReport } from './reclaim.ts';
import type { Seat } from './seat.ts';

/** Between two questions to an agent that turns its event loop. */
const ASK_MS = 50;

type Listener = (report: ReclaimReport) => void;

const askers = new WeakMap<Seat, Asker>();

export function askerOf(seat: Seat): Asker {
  const known = askers.get(seat) ?? new Asker(seat);
  askers.set(seat, known);
  return known;
}

class Asker {
  readonly #seat: Seat;
  readonly #listeners = new Set<Listener>();
  /** By agent: when it is asked next, and how long after the last time. */
  readonly #asked = new Map<number, { readonly at: number; readonly gap: number }>();
  #timer: unknown;

  constructor(seat: Seat) {
    this.#seat = seat;
  }

  /** Asks as long as there are listeners; the result ends this one. */
  add(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#schedule();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clearTimeout(this.#timer as number);
    };
  }

  #schedule(): void {
    const timer: unknown = setTimeout(() => {
      this.#askAll();
      if (this.#listeners.size > 0) this.#schedule();
    }, ASK_MS);
    setRef(timer, false);
    this.#timer = timer;
  }

  #askAll(): void {
    const { words, id, parking } = this.#seat;
    for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
      if (owner === 0 || owner === id || hasLeft(this.#seat, record)) continue;
      const now = parking.now();
      const { at, gap } = this.#asked.get(owner) ?? { at: now, gap: ASK_MS };
      if (now < at) continue;
      // All its waits are armed: it has turned its event loop since the last question. One that sleeps or computes for long
      // is asked ever less often, so that its tokens last.
      const next = words.load32(record + AGENT_ARMED) >= ARMED_WAITS - 1 ? ASK_MS : 2 * gap;
      this.#asked.set(owner, { at: now + next, gap: next });
      const outcome = recover(this.#seat, record, owner, false);
      if (typeof outcome === 'string') continue;
      for (const report of allOf(outcome)) this.#tell(report);
    }
    tidy(this.#seat);
  }

  #tell(report: ReclaimReport): void {
    this.#asked.delete(report.agent);
    for (const listener of this.#listeners) listener(report);
  }
}
