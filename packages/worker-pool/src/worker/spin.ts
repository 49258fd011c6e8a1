// The spin of the leader (leadership.ts): it looks for the next task for a moment before it sleeps, if that is likely
// to pay (stay-awake.ts).

import { AWAKE_MS, StayAwake } from '../platform/stay-awake.ts';
import { now as clock } from '../platform/timers.ts';

export class Spin {
  readonly #stayAwake: StayAwake;
  readonly #now: () => number;

  constructor(cores: number, now = clock) {
    this.#stayAwake = new StayAwake(cores);
    this.#now = now;
  }

  /** Calls `look` until it finds something, or the spin ends. Returns what `look` found. */
  until<Found>(look: () => Found | undefined): Found | undefined {
    const start = this.#now();
    if (!this.#stayAwake.mayBegin(start)) return undefined;
    for (let last = start; ; ) {
      const found = look();
      const now = this.#now();
      this.#stayAwake.noteLooks(last, now);
      if (found !== undefined) {
        this.#stayAwake.noteFound();
        return found;
      }
      if (now - start >= AWAKE_MS) {
        this.#stayAwake.noteInVain(now);
        return undefined;
      }
      last = now;
    }
  }
}
