// The rounds of async waiters at a turnstile. A test starts each round; no clock does.

import { vi } from 'vitest';
import { Death } from './crash.ts';
import type { ParkingLot } from './parking-lot.ts';

/** The interval between two attempts of a waiter. */
const ROUND_MS = 1;

export class Rounds {
  readonly #looks = new Map<number, () => void>();
  #last = 0;
  #lot: ParkingLot | undefined;

  /** Replaces the platform's intervals. */
  install(): void {
    vi.stubGlobal('setInterval', (look: () => void) => {
      this.#looks.set(++this.#last, look);
      return this.#last;
    });
    vi.stubGlobal('clearInterval', (round: number) => this.#looks.delete(round));
  }

  /** Resets the rounds to the clock of `lot`. */
  reset(lot: ParkingLot): void {
    this.#looks.clear();
    this.#lot = lot;
  }

  /** Advances the time. All living waiters attempt once. */
  look(): void {
    if (this.#lot !== undefined) this.#lot.clock += ROUND_MS;
    for (const [round, look] of [...this.#looks]) {
      try {
        look();
      } catch (failure) {
        if (!(failure instanceof Death)) throw failure;
        this.#looks.delete(round);
      }
    }
  }
}

/** The rounds of the present scene. Scenes run in sequence. */
export const rounds = new Rounds();
