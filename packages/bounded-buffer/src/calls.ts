// An agent's async calls at one side of a buffer that are not done. Each has its turn when those before it are done, or were given up.

import { ofLocalState, type Place } from '@sluice/core/internal';

interface Waiting {
  readonly begin: () => void;
}

export class Calls {
  readonly #all = new Set<Waiting>();

  get pending(): number {
    return this.#all.size;
  }

  /** `turn`: what the call has to wait for; `undefined` when none is before it. */
  async inTurn<T>(call: (turn: Promise<void> | undefined) => Promise<T>): Promise<T> {
    let begin = (): void => undefined;
    const turn = this.#all.size === 0 ? undefined : new Promise<void>((resolve) => (begin = resolve));
    const ended = call(turn);
    const waiting: Waiting = { begin };
    this.#all.add(waiting);
    try {
      return await ended;
    } finally {
      this.#all.delete(waiting);
      const [first] = this.#all;
      first?.begin();
    }
  }
}

export const callsAt: (place: Place) => Calls = ofLocalState(() => new Calls());
