// An async wait for permits. It sleeps in the chain of a bucket as any wait on a condition; its condition is that it is over.
//
// Waits of one agent settle in the order in which they began, whichever is woken first: so each that wakes up settles those before it,
// and may itself be settled by another's look. Where its standing has no order they are only asked in that order.

import type { WaitOptions } from '@sluice/core';
import { awaitAtBucket, offAbort, onAbort, reasonOf, setAlarm, WAITING, type Alarm, type Claim, type Standing, type Wanted } from '@sluice/core/internal';
import type { Spot } from './line.ts';

/** How it ended: TAKEN, SHUT, or WAITING, given up for that reason. */
export interface Ending {
  readonly outcome: number;
  readonly reason?: unknown;
}

/** What the wait does with its ticket, or without one. */
export interface Moves {
  /** What it stands in line with; 0: nothing. */
  readonly element: number;
  /** Looks whether the wait is over: a verdict, or WAITING. */
  look(): number;
  /** The end of it, with a verdict; with WAITING it gives up. TAKEN, SHUT, or WAITING. */
  end(verdict: number): number;
}

/** What a wait with a ticket is for is noted in another element. */
export const WITH_TICKET: Claim = { tag: 0, permits: 0 };

/** Where a post wakes it. */
export interface AsyncSpot extends Spot {
  readonly bucket: number;
  readonly claim: Claim;
}

/** `what`: makes the errors. Rejects only with what no wait should meet. */
export function awaitTurn(spot: AsyncSpot, standing: Standing, moves: Moves, options: WaitOptions, what: Wanted): Promise<Ending> {
  return new Promise((resolve, reject) => {
    void new AsyncTurn(standing, moves, options, { resolve, reject }).begin(spot, what);
  });
}

interface Answer {
  resolve(ending: Ending): void;
  reject(failure: unknown): void;
}

class AsyncTurn {
  readonly #standing: Standing;
  readonly #moves: Moves;
  readonly #options: WaitOptions;
  readonly #answer: Answer;
  /** Ends the sleep when the wait is over: it may be another's look that ended it. */
  readonly #over = new AbortController();
  readonly #abort = (): void => this.#giveUp(reasonOf(this.#options.signal));
  #alarm: Alarm | undefined;

  constructor(standing: Standing, moves: Moves, options: WaitOptions, answer: Answer) {
    this.#standing = standing;
    this.#moves = moves;
    this.#options = options;
    this.#answer = answer;
  }

  async begin(spot: AsyncSpot, what: Wanted): Promise<void> {
    const { timeout = Infinity, signal, ref = true } = this.#options;
    this.#standing.asyncWaits.add(this);
    try {
      onAbort(signal, this.#abort);
      this.#alarm = setAlarm(timeout, () => this.#giveUp(what.timedOut(timeout, this.#moves.element)), ref);
      await awaitAtBucket(spot, () => this.#isOver(), { ref, signal: this.#over.signal }, 'No turn came');
    } catch (failure) {
      this.#giveUp(failure);
    }
  }

  /** Whether it is its turn: then it is over. */
  settle(): boolean {
    const verdict = this.#moves.look();
    if (verdict === WAITING) return false;
    this.#finish();
    this.#answer.resolve({ outcome: this.#moves.end(verdict) });
    return true;
  }

  #isOver(): boolean {
    settleAll(this.#standing);
    return !this.#standing.asyncWaits.has(this);
  }

  /** Called by a timer, by a signal, or at the end of the sleep: none of them could do anything about a failure. */
  #giveUp(reason: unknown): void {
    try {
      if (this.#isOver()) return;
      this.#finish();
      this.#answer.resolve({ outcome: this.#moves.end(WAITING), reason });
      settleAll(this.#standing);
    } catch (failure) {
      this.#answer.reject(failure);
    }
  }

  #finish(): void {
    this.#standing.asyncWaits.delete(this);
    this.#alarm?.stop();
    offAbort(this.#options.signal, this.#abort);
    this.#over.abort();
  }
}

function settleAll({ asyncWaits, ordered }: Standing): void {
  for (const wait of asyncWaits) if (!wait.settle() && ordered) return;
}
