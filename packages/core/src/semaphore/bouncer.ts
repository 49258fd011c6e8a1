// The line behind a box office, as one agent sees it. The box office decides in one step who goes on and who waits; the
// bouncer, a semaphore whose permits only the box office gives, makes them wait.

import type { Wanted } from '../account/account.ts';
import type { Place } from '../arena/primitive.ts';
import type { Patrol, AgentContext, LocalState } from '../arena/agent-context.ts';
import { asCorrupt } from '../arena/corrupt.ts';
import { mayRetry } from '../arena/retry.ts';
import { setRef } from '../keep-alive.ts';
import { MODE_ASYNC, MODE_BLOCKING } from '../kernel/layout.ts';
import { RACED, TAKEN, WAITING, NEEDS_WALK } from '../kernel/states.ts';
import type { WaitOptions } from '../lock.ts';
import { throwIfAborted } from '../on-abort.ts';
import { mayBlock } from '../parking.ts';
import type { WaitingPolicy } from '../policy.ts';
import { refuseToBlock } from './failures.ts';
import { spinIfItPays, wakeNext } from './line.ts';
import { reportLine, type LineReport } from './report.ts';
import { awaitInLine, blockInLine } from './waits.ts';

/**
 * A visit to the box office: TAKEN, a negative result of the box office's own, or an element that stands in line now.
 * `mayWait` 0: WAITING instead.
 */
export type Visit = (mayWait: number) => number;

/** How long `enterSoon` sleeps between two looks. */
const LOOK_MS = 1;

/** How its line is kept. */
export interface QueueBehaviour {
  /** Who gets a permit notes it in its ledger. */
  readonly recorded?: boolean;
  /** Who came later may go on before: async waits of one agent settle as they come. */
  readonly unordered?: boolean;
  /** Whoever comes tries its luck for a while, before it stands in line. */
  readonly competing?: boolean;
  readonly patrol?: Patrol;
}

export class Bouncer {
  readonly #context: AgentContext;
  readonly #localState: LocalState;
  readonly #address: number;
  readonly #tag: number;
  readonly #policy: WaitingPolicy;
  readonly #visit: Visit;
  readonly #competing: boolean;
  readonly #what: Wanted;

  /** `what`: makes the errors of waits. Throws `ArenaFullError`. */
  constructor({ context, address, tag }: Place, policy: WaitingPolicy, manner: QueueBehaviour, visit: Visit, what: Wanted) {
    const { recorded = false, unordered = false, competing = false, patrol } = manner;
    this.#context = context;
    this.#localState = context.localState(address, tag, recorded, !unordered, patrol);
    this.#address = address;
    this.#tag = tag;
    this.#policy = policy;
    this.#visit = visit;
    this.#competing = competing;
    this.#what = what;
  }

  /** What this agent knows of the line. */
  get localState(): LocalState {
    return this.#localState;
  }

  /** Where this agent notes what it holds; 0 = nowhere. */
  get entry(): number {
    return this.#localState.entry;
  }

  /** Async waits of this agent here. */
  get asyncWaits(): number {
    return this.#localState.asyncWaits.size;
  }

  /**
   * Visits, and waits for `timeoutMs` at the most if it must: TAKEN, WAITING, or what the box office said. `before`: async
   * waits of this agent in other lines that stand before it. Throws `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  enter(timeoutMs: number, before = 0): number {
    if (timeoutMs === 0) return this.#visitOnce(0);
    if (!mayBlock()) refuseToBlock();
    const seen = this.#competing ? spinIfItPays(this.#context, this.#policy, () => this.#visitOnce(0)) : WAITING;
    if (seen !== WAITING) return seen;
    const element = this.#draw(MODE_BLOCKING);
    if (element <= TAKEN) return element;
    const outcome = blockInLine(this.#context, this.#localState, element, this.#policy, timeoutMs, this.#what, this.asyncWaits + before);
    // Where nobody is let in for sure the lock may be free, and the one that was woken slow.
    return outcome === WAITING && this.#competing ? this.#visitOnce(0) : outcome;
  }

  /** Waits with a ticket that a visit drew, without an end: TAKEN, or what the box office said. Throws as `enter`. */
  stay(drawn: number): number {
    if (drawn < WAITING) return drawn;
    const element = this.#context.begin(drawn, this.#localState.entry, MODE_BLOCKING);
    if (element <= TAKEN) return element;
    return blockInLine(this.#context, this.#localState, element, this.#policy, Infinity, this.#what);
  }

  /**
   * As `enter` without blocking: TAKEN, or what the box office said. Rejects with `TimeoutError` and the signal's reason.
   * `entered` is called in the same turn in which the lock is taken.
   */
  async enterAsync(options: WaitOptions, entered?: () => void): Promise<number> {
    const outcome = this.#visitOnce(0);
    if (outcome === TAKEN) entered?.();
    if (outcome !== WAITING) return outcome;
    if (options.timeout === 0) throw this.#what.timedOut(0, 0);
    return awaitInLine(this.#context, this.#localState, () => this.#draw(MODE_ASYNC), options, this.#what, entered);
  }

  /**
   * As `enterAsync`, for a lock that agents have for moments only: looks each ms instead of standing in line, where a thread that is
   * busy with something else would hold up whoever stands behind it.
   */
  async enterSoon(options: WaitOptions, entered: () => void): Promise<number> {
    const { timeout = Infinity, signal, ref = true } = options;
    const end = timeout === Infinity ? Infinity : this.#context.parking.now() + timeout;
    for (;;) {
      const outcome = this.#visitOnce(0);
      if (outcome === TAKEN) entered();
      if (outcome !== WAITING) return outcome;
      throwIfAborted(signal);
      if (this.#context.parking.now() >= end) throw this.#what.timedOut(timeout, 0);
      await new Promise((resolve) => setRef(setTimeout(resolve, LOOK_MS), ref));
    }
  }

  /** The end of a step that let others in. */
  wake(released: number): void {
    if (released !== NEEDS_WALK) return;
    // Who comes after the one that was let in is not wokenEarly: here it is not sure to be let in next.
    if (this.#competing) this.#context.finishWalk();
    else wakeNext(this.#context, this.#address, this.#policy);
  }

  /** Who waits. */
  inspect(): LineReport {
    return reportLine(this.#context, this.#address, this.#tag);
  }

  #draw(mode: number): number {
    // Before it is counted: what a wait needs must not be missing then.
    this.#context.refill();
    const drawn = this.#visitOnce(1);
    return drawn <= TAKEN ? drawn : this.#context.begin(drawn, this.#localState.entry, mode);
  }

  #visitOnce(mayWait: number): number {
    let outcome: number;
    let tries = 0;
    try {
      do outcome = this.#visit(mayWait);
      while (outcome === RACED && mayRetry(++tries));
    } catch (failure) {
      throw asCorrupt(failure);
    }
    return outcome;
  }
}
