// The line behind a box office, as one agent sees it. The box office decides in one step whether an agent enters or
// waits. The bouncer, a semaphore whose permits only the box office releases, makes agents wait.

import { withCallTimeout, type Wanted } from '../account/account.ts';
import type { Place } from '../arena/place.ts';
import type { Patrol, AgentContext, LocalState } from '../agent/agent-context.ts';
import { asCorrupt } from '../memory/corrupt.ts';
import { finishPending } from '../recovery/reclaim.ts';
import { mayRetry } from '../memory/retry.ts';
import { setRef } from '../platform/keep-alive.ts';
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
import { isElement } from '../agent/drawn.ts';
import type { LineSteps } from '../agent/kind.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { throwIfAborted } from '../api/on-abort.ts';
import { mayBlock } from '../agent/parking.ts';
import type { WaitingPolicy } from '../api/policy.ts';
import { refuseToBlock } from '../api/failures.ts';
import { blockInLine, spinIfItPays, wakeNext } from '../line/line.ts';
import { awaitInLine } from '../line/line-async.ts';
import { reportLine, type LineReport } from '../report/semaphore-report.ts';
import type { ElementAddress, EntryAddress, LineAddress } from '../kernel/addresses.ts';
import { reserveStack } from '../platform/reserve-stack.ts';

/**
 * A visit to the box office. Returns TAKEN, a negative result that the box office defines, or an element that is now
 * enqueued. With `mayWait` 0 it returns WAITING instead of enqueuing. `entry`: the agent's ledger entry, 0 without
 * `recorded`.
 */
export type Visit = (mayWait: number, entry: EntryAddress) => Enqueue | typeof OVERFLOW;

/** How a visit ended. OVERFLOW: a result that the box office defines. */
export type Entered = Poll | typeof OVERFLOW;

/** How long `enterSoon` sleeps between two attempts. */
const LOOK_MS = 1;

/** How the line behaves. */
export interface QueueBehaviour {
  /** An agent that gets a permit records it in its ledger. */
  readonly recorded?: boolean;
  /**
   * A later waiter may be served before an earlier one: async waits of one agent settle in the order of their verdicts.
   */
  readonly unordered?: boolean;
  /** An arriving agent competes for the lock for a while before it enqueues. */
  readonly competing?: boolean;
  /** All waiters are admitted at once: an async wait of this agent does not stand in the way of a blocking one. */
  readonly together?: boolean;
  /** Takes up a place that the agent left: `rejoin` of agent/left-places.ts. Default: a place that was left is lost. */
  readonly rejoin?: (context: AgentContext, home: LineAddress) => ElementAddress | 0;
  readonly patrol?: Patrol;
  /** The steps of its waiters. Default: those of the core's semaphore. */
  readonly line?: LineSteps;
}

export class Bouncer {
  readonly #context: AgentContext;
  readonly #localState: LocalState;
  readonly #address: LineAddress;
  readonly #tag: number;
  readonly #policy: WaitingPolicy;
  readonly #visit: Visit;
  readonly #competing: boolean;
  readonly #together: boolean;
  readonly #rejoin: QueueBehaviour['rejoin'];
  readonly #what: Wanted;
  readonly #mayBlock = mayBlock();

  /** `what` makes the errors of waits. Throws `ArenaFullError`. */
  constructor(
    { context, address, tag }: Place,
    policy: WaitingPolicy,
    manner: QueueBehaviour,
    visit: Visit,
    what: Wanted,
  ) {
    const { recorded = false, unordered = false, competing = false, together = false, rejoin, patrol, line } = manner;
    this.#context = context;
    this.#localState = context.localState(address, tag, { recorded, ordered: !unordered, patrol, line });
    this.#address = address;
    this.#tag = tag;
    this.#policy = policy;
    this.#visit = visit;
    this.#competing = competing;
    this.#together = together;
    this.#rejoin = rejoin;
    this.#what = what;
  }

  /** This agent's state for the line. */
  get localState(): LocalState {
    return this.#localState;
  }

  /** The ledger entry in which this agent records what it holds; 0: none. */
  get entry(): EntryAddress {
    return this.#localState.entry;
  }

  /** The number of async waits of this agent in the line. */
  get asyncWaits(): number {
    return this.#localState.asyncWaits.size;
  }

  /**
   * Visits the box office and, if necessary, waits for at most `timeoutMs` ms. Returns TAKEN, WAITING (timed out), or
   * the box office's own result. `before`: the number of async waits of this agent in other lines that are ahead of it.
   * Throws `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  enter(timeoutMs: number, before = 0): Entered {
    // From here on the call may have a place in line or a permit, and has to finish its work.
    reserveStack();
    if (timeoutMs === 0) return this.#tryOnce();
    if (!this.#mayBlock) refuseToBlock();
    const seen = this.#competing ? this.#spin() : WAITING;
    if (seen !== WAITING) return seen;
    const waits = this.#together ? 0 : this.#localState.asyncWaits.size + before;
    const outcome = blockInLine(
      this.#context,
      this.#localState,
      this.#enqueue(MODE_BLOCKING),
      this.#policy,
      timeoutMs,
      this.#what,
      waits,
    );
    // In a competing line no waiter is certain to be let in: the lock may be free while the woken waiter is still slow
    // to take it.
    return outcome === WAITING && this.#competing ? this.#tryOnce() : outcome;
  }

  /**
   * Waits, without a limit, with a ticket that a visit drew. Returns TAKEN, or the box office's own result. Throws as
   * `enter` does.
   */
  stay(drawn: Enqueue): Poll | Enqueue {
    return blockInLine(this.#context, this.#localState, drawn, this.#policy, Infinity, this.#what);
  }

  /**
   * Does the same as `enter` without blocking. Resolves with TAKEN, or the box office's own result; rejects with
   * `TimeoutError` and the signal's reason. Calls `entered` in the same turn in which the lock is taken. `callTimeout`:
   * the timeout of the call, if this is not its first wait.
   */
  async enterAsync(options: WaitOptions, entered?: () => void, callTimeout = options.timeout): Promise<Entered> {
    return this.enterOrWait(options, entered, callTimeout);
  }

  /**
   * Does the same as `enterAsync`, at once where it can: it returns the outcome without a promise, and may throw. Only
   * async functions call it. They turn the error into a rejection, and need no second promise, which would cost more
   * than the step.
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
        ? this.#what
        : withCallTimeout(this.#what, callTimeout);
    return awaitInLine(this.#context, this.#localState, () => this.#drawAsync(), options, what, entered);
  }

  #settle(outcome: Entered, callTimeout: number | undefined): Entered {
    if (outcome === WAITING) throw this.#what.timedOut(callTimeout, 0);
    return outcome;
  }

  /**
   * Does the same as `enterAsync`, for a lock that agents hold only briefly. It tries once per ms instead of waiting in
   * line: in line, a thread that is busy with something else would delay the waiters behind it. `callTimeout`: as for
   * `enterAsync`.
   */
  async enterSoon(options: WaitOptions, entered: () => void, callTimeout = options.timeout): Promise<Entered> {
    const { timeout = Infinity, signal, ref = true } = options;
    const end = timeout === Infinity ? Infinity : this.#context.parking.now() + timeout;
    for (;;) {
      const outcome = this.#tryOnce();
      if (outcome === TAKEN) entered();
      if (outcome !== WAITING) return outcome;
      throwIfAborted(signal);
      if (this.#context.parking.now() >= end) throw this.#what.timedOut(callTimeout, 0);
      await new Promise((resolve) => setRef(setTimeout(resolve, LOOK_MS), ref));
    }
  }

  /** Finishes a step that let waiters in: wakes them. `released`: the result of the step. */
  wake(released: Release | HandOver): void {
    if (released !== NEEDS_WALK) return;
    // No early wake-up in a competing line: the waiter behind the admitted one is not certain to be next.
    try {
      if (this.#competing) this.#context.finishWalk();
      else wakeNext(this.#context, this.#address, this.#policy);
    } catch (failure) {
      throw asCorrupt(failure, this.#what);
    }
  }

  /** Reports the waiters. */
  inspect(): LineReport {
    return reportLine(this.#context, this.#address, this.#tag);
  }

  #drawAsync(): Entered | ElementAddress {
    const drawn = this.#enqueue(MODE_ASYNC);
    return !isElement(drawn) ? drawn : this.#context.begin(drawn, this.#localState.entry, MODE_ASYNC);
  }

  #enqueue(mode: number): Entered | ElementAddress {
    // First: a place that this agent left has an element, so this wait needs no other.
    const place = this.#rejoin?.(this.#context, this.#address);
    if (place !== undefined && place !== 0) return place;
    // Reserve the element before the box office counts this waiter: from then on the wait must not fail for lack of
    // memory.
    this.#context.refill(mode);
    return this.#visitOnce(1);
  }

  #spin(): Entered {
    return spinIfItPays(this.#context, this.#policy, () => this.#tryOnce());
  }

  /** A visit that draws no ticket. */
  #tryOnce(): Entered {
    const outcome = this.#visitOnce(0);
    return isElement(outcome) ? WAITING : outcome;
  }

  #visitOnce(mayWait: number): Entered | ElementAddress {
    try {
      for (let tries = 1; ; tries++) {
        const outcome = this.#visit(mayWait, this.#localState.entry);
        if (outcome === RACED) mayRetry(tries);
        else if (outcome !== WAITING || !finishPending(this.#context)) return outcome;
      }
    } catch (failure) {
      throw asCorrupt(failure, this.#what);
    }
  }
}
