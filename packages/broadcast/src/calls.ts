// The async calls of a subscription that have no outcome yet. Outcomes go to them in the order in which they began: a
// call that begins between a value and the wake-up of an earlier call runs first, and the value is the earlier call's.

import type { WaitOptions } from '@sluice/core';
import { throwIfAborted } from '@sluice/core/internal';

/** What a call ends with: a value as it was in its slot, or an error. */
export type Outcome = { readonly packed: unknown } | { readonly failure: unknown };

/** A call that began. */
export interface Call {
  readonly signal: WaitOptions['signal'];
  /** Its wait was granted: a value came before any abort. The thread may see that later. */
  isGranted: boolean;
  outcome: Outcome | undefined;
}

export class Calls {
  readonly #open = new Set<Call>();

  /** Whether no call is without an outcome. */
  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /**
   * The number of calls without an outcome, except `finder` and aborted calls. The promise of an aborted call settles
   * later.
   */
  openBut(finder: Call | undefined): number {
    return [...this.#open].filter((call) => call !== finder && call.signal?.aborted !== true).length;
  }

  begin(signal: WaitOptions['signal']): Call {
    const call: Call = { signal, isGranted: false, outcome: undefined };
    this.#open.add(call);
    return call;
  }

  /** Ends a call, with an outcome or without. */
  end(call: Call): void {
    this.#open.delete(call);
  }

  /**
   * Gives the outcome that `finder` has found to the call that began first. A call that was aborted before
   * its wait was granted fails, and the next one gets the outcome.
   */
  give(outcome: Outcome, finder: Call): void {
    for (const call of this.#open) {
      this.#open.delete(call);
      const refusal = call === finder || call.isGranted ? undefined : refusalOf(call);
      call.outcome = refusal ?? outcome;
      if (refusal === undefined) return;
    }
  }
}

function refusalOf({ signal }: Call): Outcome | undefined {
  try {
    throwIfAborted(signal);
    return undefined;
  } catch (failure) {
    return { failure };
  }
}
