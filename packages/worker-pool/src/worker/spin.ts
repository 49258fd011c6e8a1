// The spin of the leader (next-worker.ts): it looks for the next task briefly before it sleeps, and only where a core
// is free.
//
// On a busy machine a spinning worker uses up its share of the processor. When the task comes, the scheduler runs other
// threads first, for milliseconds. A worker that slept would run sooner. So a worker that loses its core during a spin
// does not spin again for a while.

import { now as clock } from '../platform/timers.ts';

/** The length of a spin, in ms: about the time that a pool needs from a result to the next task. */
const SPIN_MS = 0.1;
/** A longer gap between two looks, in ms, means that another thread ran on the core. */
const LOST_MS = 0.03;
/** The time without a spin after the worker lost its core, in ms. */
const PAUSE_MS = 100;

export class Spin {
  readonly #mayLook: boolean;
  readonly #now: () => number;
  #pausedUntil = -Infinity;

  /** `cores`: with one core it never spins, because the pool's thread cannot put a task in during a spin. */
  constructor(cores: number, now = clock) {
    this.#mayLook = cores > 1;
    this.#now = now;
  }

  /** Calls `look` until it finds something, or the spin ends. Returns what `look` found. */
  until<Found>(look: () => Found | undefined): Found | undefined {
    const start = this.#now();
    if (!this.#mayLook || start < this.#pausedUntil) return undefined;
    for (let last = start; ; ) {
      const found = look();
      const now = this.#now();
      if (now - last > LOST_MS) this.#pausedUntil = now + PAUSE_MS;
      if (found !== undefined || now - start >= SPIN_MS) return found;
      last = now;
    }
  }
}
