// An agent's place in the line of an interval, and its turn at the head: one call may begin.

import { WayOut } from './way-out.ts';

export class Turn extends WayOut {
  #settle: ((left: number) => void) | undefined;
  #fail: ((failure: unknown) => void) | undefined;
  #isOver = false;

  /** Whether its call has begun, or failed. Then the agent is not in line any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Lets a call begin. Resolves with 0 when it has, or with the ms until it may. */
  letOneBegin(granted: () => void): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      granted();
    });
  }

  /** The call has counted its start (0), or was refused. */
  end(left: number): void {
    this.#isOver = left === 0;
    this.#settle?.(left);
  }

  /** The call has failed. */
  fail(failure: unknown): void {
    this.#fail?.(failure);
  }
}
