// How an arrival of this agent at a barrier ends, and the action that the last party runs.

import { BrokenBarrierError, DeadlockError, MisuseError } from '@sluice/core';
import type { Release } from '@sluice/core/format';
import type { Titled } from '@sluice/core/calls';
import { checkNotFreed, retryWhileRaced, type LineState, type BlockRef } from '@sluice/core/internal';
import { breakText } from './barrier-report.ts';
import { refusePromiseOf, type Action } from './barrier-shape.ts';
import { ACTING_IN, OUTCOME } from './kernel/layout.ts';
import { ACTS, BROKE, BROKEN_MEANWHILE, FIRST, NO_PARTY, RETURN, TRIPPED } from './kernel/outcomes.ts';
import type { BarrierKernel } from './kinds.ts';

/** The end of a wait at a barrier. */
export interface BarrierResult {
  /** True for one party of each generation: the first that arrived. */
  readonly leader: boolean;
}

const LEADER: BarrierResult = Object.freeze({ leader: true });
const FOLLOWER: BarrierResult = Object.freeze({ leader: false });

/** Whether the agent arrived last and has to run the action. */
export function isActing(outcome: number): boolean {
  return (outcome & ~FIRST) === ACTS;
}

export class Arrivals {
  readonly #ref: BlockRef;
  readonly #lineState: LineState;
  readonly #action: Action;
  readonly #barrier: Titled;
  readonly #wake: (tripped: Release) => void;

  /** `barrier` supplies the title. `wake` wakes the parties of a generation that has ended. */
  constructor(ref: BlockRef, lineState: LineState, action: Action, barrier: Titled, wake: (tripped: Release) => void) {
    this.#ref = ref;
    this.#lineState = lineState;
    this.#action = action;
    this.#barrier = barrier;
    this.#wake = wake;
  }

  /** The outcome of this agent's last arrival. */
  get outcome(): number {
    return this.#ref.context.words.get32(this.#lineState.entry + OUTCOME);
  }

  /** Whether the caller runs inside the action of this barrier. */
  get isInAction(): boolean {
    return this.#ref.context.words.get32(this.#lineState.entry + ACTING_IN) !== 0;
  }

  /** Returns the error for a call without a timeout inside the action. */
  deadlock(): DeadlockError {
    return new DeadlockError(
      `${this.#barrier.toString()}: its action called it and has to return first, so the call would never return. It was not changed. Use waitAsync(), or wait after the action.`,
    );
  }

  /** Returns the result of a wait, or throws its error. Returns `undefined` if the agent must arrive again. */
  conclude(outcome: number): BarrierResult | undefined {
    switch (outcome & ~FIRST) {
      case RETURN:
        return undefined;
      case BROKE:
        throw this.#brokenError();
      case NO_PARTY:
        throw new MisuseError(`${this.#barrier.toString()} has no parties: register() adds them. It was not changed.`);
      case ACTS:
        if (this.act() === BROKEN_MEANWHILE) throw this.#brokenError();
        break;
      case TRIPPED:
    }
    return (outcome & FIRST) === 0 ? FOLLOWER : LEADER;
  }

  /** Runs the action, then trips the barrier, or breaks it if the action throws. */
  act(): typeof BROKEN_MEANWHILE | undefined {
    let threw = 1;
    let tripped: Release | typeof BROKEN_MEANWHILE;
    try {
      refusePromiseOf(this.#action?.(), this.#barrier);
      threw = 0;
    } finally {
      const { address, tag, context } = this.#ref;
      const { tripBarrier } = context.kernel as BarrierKernel;
      tripped = retryWhileRaced(() => tripBarrier(address, tag, context.agent, this.#lineState.entry, threw));
      if (tripped !== BROKEN_MEANWHILE) this.#wake(tripped);
    }
    return tripped === BROKEN_MEANWHILE ? tripped : undefined;
  }

  #brokenError(): BrokenBarrierError {
    checkNotFreed(this.#ref, 'The barrier');
    return new BrokenBarrierError(`${this.#barrier.toString()} ${breakText(this.#ref)}`);
  }
}
