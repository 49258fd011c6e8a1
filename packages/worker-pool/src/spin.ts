// How the worker with the post looks for the next task before it sleeps: briefly, and only where a core is free.
//
// On a busy machine a worker that spins uses up its share of the processor. When the task comes, the scheduler lets other threads run first, for
// milliseconds. A worker that slept runs sooner. So a worker that loses its core while it spins does not spin again for a while.

import { now as clock } from './timers.ts';

/** How long a worker looks, in ms: about as long as a pool takes from a result to the next task. */
const SPIN_MS = 0.1;
/** A longer gap between two looks, in ms, means that another thread ran on the core. */
const LOST_MS = 0.03;
/** How long the worker does not spin after it lost its core, in ms. */
const PAUSE_MS = 100;

export class Spin {
  readonly #mayLook: boolean;
  readonly #now: () => number;
  #pausedUntil = -Infinity;

  /** `cores`: with one core, the pool's thread cannot put a task in while the worker spins. */
  constructor(cores: number, now = clock) {
    this.#mayLook = cores > 1;
    this.#now = now;
  }

  /** Returns what `look` returned last. */
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
