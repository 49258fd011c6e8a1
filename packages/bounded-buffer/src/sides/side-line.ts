// A line in which agents of a side wait, as one agent sees it.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import { reserveStack } from '@sluice/core/calls';
import { MODE_ASYNC, MODE_BLOCKING, WAITING, type Draw, type Poll } from '@sluice/core/format';
import {
  awaitInLine,
  blockInLine,
  isElement,
  orCorrupt,
  withCallTimeout,
  type BlockRef,
  type LineState,
  type LineSteps,
  type PrimitiveErrors,
} from '@sluice/core/internal';
import { reportLine, type LineReport } from '@sluice/core/report';

export class SideLine {
  readonly lineState: LineState;
  readonly #ref: BlockRef;
  readonly #policy: WaitingPolicy;
  readonly #enqueue: () => Draw;
  readonly #errors: PrimitiveErrors;

  /** `recorded` says whether the ledger lists what this agent gets in the line. `enqueue` draws a ticket. */
  constructor(
    ref: BlockRef,
    recorded: boolean,
    line: LineSteps,
    policy: WaitingPolicy,
    enqueue: () => Draw,
    errors: PrimitiveErrors,
  ) {
    const { context, address, tag } = ref;
    this.lineState = context.lineState(address, tag, { recorded, line });
    this.#ref = ref;
    this.#policy = policy;
    this.#enqueue = enqueue;
    this.#errors = errors;
  }

  /** Waits for at most `timeoutMs` ms. Returns TAKEN, SHUT, or WAITING if it timed out. */
  wait(timeoutMs: number): Poll {
    reserveStack();
    if (timeoutMs === 0) return WAITING;
    const { context } = this.#ref;
    return blockInLine(context, this.lineState, this.#draw(MODE_BLOCKING), this.#policy, timeoutMs, this.#errors);
  }

  /**
   * Waits without blocking. Resolves with TAKEN or SHUT. Rejects with the signal's reason, or with `TimeoutError`, which
   * names the timeout of the whole call, `callTimeout`. Calls `taken` in the same task that gets the verdict TAKEN.
   */
  async waitAsync(options: WaitOptions, taken: () => void, callTimeout: number): Promise<Poll> {
    reserveStack();
    const { context } = this.#ref;
    if (options.timeout === 0) {
      await context.budget.spend();
      throw this.#errors.timedOut(callTimeout, 0);
    }
    const begin = (): Draw => {
      const drawn = this.#draw(MODE_ASYNC);
      return isElement(drawn) ? context.begin(drawn, this.lineState.entry, MODE_ASYNC) : drawn;
    };
    return awaitInLine(context, this.lineState, begin, options, withCallTimeout(this.#errors, callTimeout), taken);
  }

  inspect(): LineReport {
    const { context, address, tag } = this.#ref;
    return reportLine(context, address, tag);
  }

  #draw(mode: number): Draw {
    // Before the ticket is drawn: a wait that other agents see must not fail for lack of memory.
    this.#ref.context.refill(mode);
    return orCorrupt(this.#enqueue, this.#errors);
  }
}
