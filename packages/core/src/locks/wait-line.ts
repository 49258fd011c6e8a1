// One agent's view of the line behind a box office. The box office decides in one step whether an agent enters or
// waits. The waiters wait at the bouncer: a semaphore whose permits only the box office releases.

import { withCallTimeout, type WaitErrors } from '../error-text/primitive-errors.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import type { TimedChecks, AgentContext, LineState } from '../agent/agent-context.ts';
import { asCorrupt } from '../memory/corrupt.ts';
import { finishPending } from '../recovery/claim-dead-agent.ts';
import { retryOrThrow } from '../memory/retry.ts';
import { MODE_ASYNC, MODE_BLOCKING } from '../kernel/layout.ts';
import type { OVERFLOW } from '../kernel/states.ts';
import {
  RACED,
  TAKEN,
  WAITING,
  NEEDS_WALK,
  type Enqueue,
  type HandOver,
  type Poll,
  type Release,
} from '../kernel/states.ts';
import { isElement } from '../agent/is-element.ts';
import type { LineSteps } from '../agent/kind.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { mayBlock } from '../agent/parking.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';
import { refuseToBlock } from '../api/failures.ts';
import { blockInLine, spinIfItPays, wakeNext } from '../line/line.ts';
import { awaitInLine } from '../line/line-async.ts';
import { reportLine, type LineReport } from '../report/semaphore-report.ts';
import type { ElementAddress, EntryAddress, LineAddress } from '../kernel/addresses.ts';
import { reserveStack } from '../platform/reserve-stack.ts';

/**
 * Enters, or enqueues at the box office. Returns TAKEN, a negative result that the box office defines, or an element that is now
 * enqueued. If `mayWait` is 0, it returns WAITING instead of enqueuing. `entry` is the agent's ledger entry, or 0
 * without `recorded`.
 */
export type EnterOrEnqueue = (mayWait: number, entry: EntryAddress) => Enqueue | typeof OVERFLOW;

/** The result of an attempt to enter. OVERFLOW stands for the results that the box office defines. */
export type Entered = Poll | typeof OVERFLOW;

/** The behaviour of the line. */
export interface QueueBehaviour {
  /** Whether an agent that gets a permit records it in its ledger. */
  readonly recorded?: boolean;
  /**
   * Whether a later waiter may be served before an earlier one. Async waits of one agent then settle in the order of
   * their verdicts.
   */
  readonly unordered?: boolean;
  /** Whether an arriving agent competes for the lock for a while before it enqueues. */
  readonly competing?: boolean;
  /**
   * Whether all waiters are admitted at once. A blocking wait then does not need the agent's earlier async waits to
   * settle.
   */
  readonly together?: boolean;
  /**
   * Takes up a place that the agent left (`rejoin` of agent/left-places.ts). Default: the agent cannot return to a
   * place that it left.
   */
  readonly rejoin?: (context: AgentContext, home: LineAddress) => ElementAddress | 0;
  readonly timedChecks?: TimedChecks;
  /** The steps of the line's waiters. Default: the steps of the core's semaphore. */
  readonly line?: LineSteps;
}

export class WaitLine {
  readonly #context: AgentContext;
  readonly #lineState: LineState;
  readonly #address: LineAddress;
  readonly #tag: number;
  readonly #policy: WaitingPolicy;
  readonly #enterOrEnqueue: EnterOrEnqueue;
  readonly #competing: boolean;
  readonly #together: boolean;
  readonly #rejoin: QueueBehaviour['rejoin'];
  readonly #errors: WaitErrors;
  readonly #mayBlock = mayBlock();

  /** Creates this agent's view of the line. `errors` makes the errors of waits. Throws `ArenaFullError`. */
  constructor(
    { context, address, tag }: BlockRef,
    policy: WaitingPolicy,
    behaviour: QueueBehaviour,
    enterOrEnqueue: EnterOrEnqueue,
    errors: WaitErrors,
  ) {
    const {
      recorded = false,
      unordered = false,
      competing = false,
      together = false,
      rejoin,
      timedChecks,
      line,
    } = behaviour;
    this.#context = context;
    this.#lineState = context.lineState(address, tag, { recorded, ordered: !unordered, timedChecks, line });
    this.#address = address;
    this.#tag = tag;
    this.#policy = policy;
    this.#enterOrEnqueue = enterOrEnqueue;
    this.#competing = competing;
    this.#together = together;
    this.#rejoin = rejoin;
    this.#errors = errors;
  }

  /** This agent's state for the line. */
  get lineState(): LineState {
    return this.#lineState;
  }

  /** The ledger entry in which this agent records what it holds, or 0 if it has none. */
  get entry(): EntryAddress {
    return this.#lineState.entry;
  }

  /** The number of async waits of this agent in the line. */
  get asyncWaits(): number {
    return this.#lineState.asyncWaits.size;
  }

  /**
   * Visits the box office, and waits for at most `timeoutMs` ms if the box office does not admit the agent. Returns
   * TAKEN, WAITING if it timed out, or a result that the box office defines. `before` is the number of this agent's
   * async waits in other lines that are ahead of this wait. Throws `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  enter(timeoutMs: number, before = 0): Entered {
    // From here on the call may have a place in line or a permit, so it must not fail for lack of stack.
    reserveStack();
    if (timeoutMs === 0) return this.#tryOnce();
    if (!this.#mayBlock) refuseToBlock();
    const seen = this.#competing ? this.#spin() : WAITING;
    if (seen !== WAITING) return seen;
    const waits = this.#together ? 0 : this.#lineState.asyncWaits.size + before;
    const outcome = blockInLine(
      this.#context,
      this.#lineState,
      this.#enqueue(MODE_BLOCKING),
      this.#policy,
      timeoutMs,
      this.#errors,
      waits,
    );
    // In a competing line a waiter can time out although the lock is free: the woken waiter has not taken it yet.
    return outcome === WAITING && this.#competing ? this.#tryOnce() : outcome;
  }

  /**
   * Waits without a time limit for the ticket that a visit drew. Returns TAKEN, or a result that the box office
   * defines. Throws as `enter` does.
   */
  stay(drawn: Enqueue): Poll | Enqueue {
    return blockInLine(this.#context, this.#lineState, drawn, this.#policy, Infinity, this.#errors);
  }

  /**
   * Enters as `enter` does, without blocking. Resolves with TAKEN, or with a result that the box office defines.
   * Rejects with `TimeoutError` or the signal's reason. Calls `entered` in the turn of the event loop in which the lock
   * is taken. `callTimeout` is the timeout of the whole call, if this wait is not the call's first.
   */
  async enterAsync(options: WaitOptions, entered?: () => void, callTimeout = options.timeout): Promise<Entered> {
    return this.enterOrWait(options, entered, callTimeout);
  }

  /**
   * Enters as `enterAsync` does, but returns the outcome without a promise if it is known at once. May throw, so only
   * async functions call it: they turn the error into a rejection. A second promise would cost more than the step.
   */
  enterOrWait(options: WaitOptions, entered?: () => void, callTimeout = options.timeout): Entered | Promise<Entered> {
    reserveStack();
    const outcome = this.#tryOnce();
    if (outcome === TAKEN) entered?.();
    if (outcome !== WAITING || options.timeout === 0) {
      const later = this.#context.budget.spend();
      return later === undefined
        ? this.#settle(outcome, callTimeout)
        : later.then(() => this.#settle(outcome, callTimeout));
    }
    const what =
      callTimeout === undefined || callTimeout === options.timeout
        ? this.#errors
        : withCallTimeout(this.#errors, callTimeout);
    return awaitInLine(this.#context, this.#lineState, () => this.#drawAsync(), options, what, entered);
  }

  #settle(outcome: Entered, callTimeout: number | undefined): Entered {
    if (outcome === WAITING) throw this.#errors.timedOut(callTimeout, 0);
    return outcome;
  }

  /** Wakes the waiters that a step admitted. `released` is the result of the step. */
  wake(released: Release | HandOver): void {
    if (released !== NEEDS_WALK) return;
    // A competing line has no early wake-up: the waiter behind the admitted one is not certain to be next.
    try {
      if (this.#competing) this.#context.finishWalk();
      else wakeNext(this.#context, this.#address, this.#policy);
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
  }

  inspect(): LineReport {
    return reportLine(this.#context, this.#address, this.#tag);
  }

  #drawAsync(): Entered | ElementAddress {
    const drawn = this.#enqueue(MODE_ASYNC);
    return !isElement(drawn) ? drawn : this.#context.begin(drawn, this.#lineState.entry, MODE_ASYNC);
  }

  #enqueue(mode: number): Entered | ElementAddress {
    // Rejoin first: a place that this agent left already has an element, so the wait needs no other.
    const place = this.#rejoin?.(this.#context, this.#address);
    if (place !== undefined && place !== 0) return place;
    // Reserve the element before the box office counts this waiter: a counted wait must not fail for lack of memory.
    this.#context.refill(mode);
    return this.#visitOnce(1);
  }

  #spin(): Entered {
    return spinIfItPays(this.#context, this.#policy, () => this.#tryOnce());
  }

  /** Visits the box office without drawing a ticket. */
  #tryOnce(): Entered {
    const outcome = this.#visitOnce(0);
    return isElement(outcome) ? WAITING : outcome;
  }

  #visitOnce(mayWait: number): Entered | ElementAddress {
    try {
      for (let tries = 1; ; tries++) {
        const outcome = this.#enterOrEnqueue(mayWait, this.#lineState.entry);
        if (outcome === RACED) retryOrThrow(tries);
        else if (outcome !== WAITING || !finishPending(this.#context)) return outcome;
      }
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
  }
}
