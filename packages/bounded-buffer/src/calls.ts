// An agent's pending async calls at one side of a buffer. Each gets its turn when the calls before it have ended or
// were cancelled.

import { ofLocalState, type Place } from '@sluice/core/internal';

interface Waiting {
  readonly begin: () => void;
}

export class Calls {
  readonly #all = new Set<Waiting>();

  get pending(): number {
    return this.#all.size;
  }

  /** `turn`: resolves when the calls before this one have ended; `undefined` without any. */
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
