// An agent's pending async calls at one side of a buffer. A call may go on when the calls before it have ended or
// were cancelled.

import { perLineState, type BlockRef } from '@sluice/core/internal';

interface Waiting {
  readonly begin: () => void;
}

export class SideCalls {
  /** The number of pending calls. A field, not an accessor: every call reads it. */
  pending = 0;
  readonly #all = new Set<Waiting>();

  /**
   * Runs `call` and counts it as pending. `earlier` resolves when the calls before this one have ended. It is `undefined`
   * if there are none.
   */
  async inOrder<T>(call: (earlier: Promise<void> | undefined) => Promise<T>): Promise<T> {
    let begin = (): void => undefined;
    const earlier = this.#all.size === 0 ? undefined : new Promise<void>((resolve) => (begin = resolve));
    const ended = call(earlier);
    const waiting: Waiting = { begin };
    this.#all.add(waiting);
    this.pending += 1;
    try {
      return await ended;
    } finally {
      this.pending -= 1;
      this.#all.delete(waiting);
      const [first] = this.#all;
      first?.begin();
    }
  }
}

export const callsAt: (ref: BlockRef) => SideCalls = perLineState(() => new SideCalls());
