// The budget of a thread's async calls: the longest time in which they settle one after another without a turn of the
// event loop.
//
// If a promise settles in a microtask, the next call of a loop runs in the same turn of the event loop. A loop whose
// calls never wait would never let the turn end, so timers, signals and messages would not run. Therefore each async
// call spends from the budget when it is about to settle. The call has its effect at once. If the turn has lasted
// `MAX_MS`, the promise of the call settles in the next turn.
//
// INVARIANT: all calls that spend after the budget is used up settle in one later turn, in the order in which they
// spent. So the async calls of a thread settle in the order of their effects, even if some of them are deferred.
//
// The platform does not tell whether the event loop has turned. So, at its first look at the clock in a turn, the
// budget arms a callback for the next turn. It measures the turn from there. Most calls only count down to the next
// look.

import { ownNow } from './own-clock.ts';
import { ownTimers } from './own-timers.ts';

/** The time in ms after which the calls of a turn are deferred to the next one. */
const MAX_MS = 4;
/** The most calls between two looks at the clock. With more, the budget would notice late that a loop became slower. */
const MAX_CALLS = 64;
/** The work in ms between two looks, if it takes more than one call. */
const LOOK_MS = 0.5;

const DONE = Promise.resolve();

export class LoopBudget {
  readonly #now: () => number;
  readonly #inNextTurn: (run: () => void) => void;
  /** Calls until the next look at the clock, including the call that looks. */
  #left = 1;
  /** The number of calls from one look to the next. */
  #stride = 1;
  #lastLook = 0;
  /** Whether the callback of the next turn is armed. */
  #isArmed = false;
  #since = 0;
  /** Resolves in the next turn. Present while the budget is used up. */
  #nextTurn: Promise<void> | undefined;
  #resolve: (() => void) | undefined;
  readonly #turn = (): void => this.#begin();

  /** `now`: a clock in ms. `inNextTurn`: runs a function in a later turn of the event loop. */
  constructor(now: () => number, inNextTurn: (run: () => void) => void) {
    this.#now = now;
    this.#inNextTurn = inNextTurn;
  }

  /**
   * Spends for an async call that is about to settle. Returns `undefined` if the call may settle now. Otherwise the
   * call settles when the returned promise resolves, in the next turn of the event loop.
   */
  spend(): Promise<void> | undefined {
    this.#left -= 1;
    return this.#left > 0 ? undefined : this.#look();
  }

  /** Spends for a call that resolves without a value. Returns the promise of the call. */
  done(): Promise<void> {
    return this.spend() ?? DONE;
  }

  /** Spends for a call that rejects at once. Returns the promise of the call. */
  async refuse(failure: unknown): Promise<never> {
    const later = this.spend();
    if (later !== undefined) await later;
    throw failure;
  }

  #look(): Promise<void> | undefined {
    if (this.#nextTurn !== undefined) return this.#nextTurn;
    const time = this.#now();
    this.#left = this.#stride = nextStride(this.#stride, time - this.#lastLook);
    this.#lastLook = time;
    if (!this.#isArmed) {
      this.#isArmed = true;
      this.#since = time;
      this.#inNextTurn(this.#turn);
      return undefined;
    }
    if (time - this.#since < MAX_MS) return undefined;
    // The next call must not settle before this one, so it looks at the clock, too. So does the first call of the next
    // turn.
    this.#left = 0;
    return (this.#nextTurn = new Promise((resolve) => (this.#resolve = resolve)));
  }

  #begin(): void {
    const resolve = this.#resolve;
    // Do this before the deferred calls settle: the code after them spends from the new budget.
    this.#isArmed = false;
    this.#nextTurn = this.#resolve = undefined;
    resolve?.();
  }
}

/** Returns the number of calls to the next look, after `stride` calls that took `tookMs`. */
function nextStride(stride: number, tookMs: number): number {
  if (tookMs > LOOK_MS) return Math.max(1, Math.floor((stride * LOOK_MS) / tookMs));
  return Math.min(MAX_CALLS, 2 * stride);
}

/** The budget of this thread. */
export const threadBudget = /* @__PURE__ */ new LoopBudget(ownNow, ownTimers.inNextTurn);
