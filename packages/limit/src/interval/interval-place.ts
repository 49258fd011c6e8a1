// An agent's place in the line of an interval. At the head the agent may begin one call.

import { PlaceInLine } from '../line/place-in-line.ts';

export class IntervalPlace extends PlaceInLine {
  #settle: ((left: number) => void) | undefined;
  #fail: ((failure: unknown) => void) | undefined;
  #isOver = false;

  /** Whether the call has counted its start. Then the agent is no longer in line. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Lets a call begin. Resolves with 0 when it has begun, or with the ms until it may. */
  letOneBegin(granted: () => void): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      granted();
    });
  }

  /** Ends the attempt: the call has counted its start (`left` is 0), or was refused for `left` ms. */
  end(left: number): void {
    this.#isOver = left === 0;
    this.#settle?.(left);
  }

  /** Ends the attempt with an error of the call. */
  fail(failure: unknown): void {
    this.#fail?.(failure);
  }
}
