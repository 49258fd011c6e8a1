// The async calls of a subscription that have no outcome yet. Outcomes go to the calls in the order in which the calls
// began. If a call begins between a value and the wake-up of an earlier call, the new call runs first. It then gives
// the value to the earlier call.

import type { WaitOptions } from '@sluice/core';
import { throwIfAborted } from '@sluice/core/calls';

/** The outcome of a call: a value in its packed form, or an error. */
export type ReceiveOutcome = { readonly packed: unknown } | { readonly failure: unknown };

/** A call that has begun. */
export interface SubscriptionCall {
  readonly signal: WaitOptions['signal'];
  /** Whether the wait was granted: a value came before any abort. The thread may learn that later. */
  isGranted: boolean;
  outcome: ReceiveOutcome | undefined;
}

export class SubscriptionCalls {
  readonly #open = new Set<SubscriptionCall>();

  /** Whether all calls have outcomes. */
  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /**
   * The number of calls without an outcome, except `finder` and aborted calls. The promise of an aborted call settles
   * later.
   */
  openBut(finder: SubscriptionCall | undefined): number {
    return [...this.#open].filter((call) => call !== finder && call.signal?.aborted !== true).length;
  }

  begin(signal: WaitOptions['signal']): SubscriptionCall {
    const call: SubscriptionCall = { signal, isGranted: false, outcome: undefined };
    this.#open.add(call);
    return call;
  }

  /** Ends a call, with or without an outcome. */
  end(call: SubscriptionCall): void {
    this.#open.delete(call);
  }

  /**
   * Gives the outcome that `finder` found to the oldest call. If a call was aborted before its wait was granted, that
   * call fails, and the next call gets the outcome.
   */
  give(outcome: ReceiveOutcome, finder: SubscriptionCall): void {
    for (const call of this.#open) {
      this.#open.delete(call);
      const refusal = call === finder || call.isGranted ? undefined : refusalOf(call);
      call.outcome = refusal ?? outcome;
      if (refusal === undefined) return;
    }
  }
}

function refusalOf({ signal }: SubscriptionCall): ReceiveOutcome | undefined {
  try {
    throwIfAborted(signal);
    return undefined;
  } catch (failure) {
    return { failure };
  }
}
