// The turnstile admits one agent at a time, in FIFO order, for a turn of B passes. It is Sluice's addition to Dice's
// capacitors: the mutex in turns (@sluice/mutex) as a gate, where several tasks of one agent may be inside together.
// Its steps are in kernel/turnstile.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import { IDLE, SHUT, TAKEN, type LineAddress } from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS, refuseToBlock } from '@sluice/core/calls';
import {
  WaitLine,
  handleTo,
  isAwaited,
  mayBlock,
  openWithPolicy,
  turnChecks,
  type LineState,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { MUTEX_TRAITS } from '@sluice/mutex/internal';
import { TURNSTILE, type GateKernel, type GateSteps } from './kinds.ts';
import { createTurnstile, type TurnstileOptions } from './options.ts';
import { GateBlock } from './gate-block.ts';
import { reportTurnstile, type TurnstileReport } from './report.ts';
import { turnAt, type TurnstileTurn } from './turnstile-turn.ts';

export type TurnstileHandle = PrimitiveHandle<'sluice.turnstile'>;

const SHAPE = { className: 'Turnstile', what: 'The turnstile', inside: 'taken' };
let construct: (ref: BlockRef, policy: WaitingPolicy) => Turnstile;

/**
 * A gate that admits one agent at a time, in turns. During its turn an agent may leave and enter again past waiters. A
 * turn lasts half a millisecond, and B adapts to the number of passes that fit. So even with more agents than cores,
 * nearly all passes cost no wake-up, and all agents get equally many.
 *
 * - Agents get their turns in FIFO order, blocking and async together. An agent with w waiters before it is overtaken
 *   by at most w + 1 turns of other agents: by at most (w + 1) · 5/4 · B arrivals that came later, with the largest B
 *   of these turns. A turn can be a quarter longer than B because agents catch up whose earlier turns were cut short.
 * - An agent that leaves and does not come back delays the next one by one wake-up.
 * - While no agent waits, an arrival and a departure take one compare-and-swap each.
 * - Several tasks of an agent may be inside together. They count as one pass. While other agents wait, a further async
 *   task waits in line.
 * - An agent that dies inside gives up its turn when it is reclaimed. An agent that dies outside delays no other agent.
 *
 * ```ts run
 * import { Turnstile } from '@sluice/capacitor';
 *
 * const turnstile = Turnstile.create({ name: 'hot path' });
 * for (let pass = 0; pass < 3; pass++) {
 *   turnstile.arrive();
 *   turnstile.depart();
 * }
 * console.log(turnstile.empty, turnstile.bypassLimit); // true 1000
 * ```
 */
export class Turnstile extends GateBlock {
  /** The handle to post to another thread. Pass it to `Turnstile.from` there. */
  readonly handle: TurnstileHandle;
  readonly #kernel: GateKernel;
  readonly #waitLine: WaitLine;
  readonly #turn: TurnstileTurn;
  // Fields of the fast paths, each on its own: one lookup fewer per call.
  readonly #address: LineAddress;
  readonly #lineState: LineState;
  readonly #id: number;
  readonly #enter: GateSteps['enterTurnstile'];
  readonly #enterInTurn: GateSteps['enterInTurn'];
  readonly #leave: GateSteps['leaveTurnstile'];
  readonly #leaveInTurn: GateSteps['leaveInTurn'];

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, SHAPE);
    const { context, address, tag } = ref;
    const { agent, id } = context;
    const { kernel, steps } = context.load(TURNSTILE);
    this.#kernel = kernel;
    const visit = (mayWait: number) => kernel.enqueueAtTurnstile(address, tag, agent, mayWait);
    this.#address = address;
    const behaviour = {
      line: steps,
      timedChecks: turnChecks(ref, MUTEX_TRAITS, (element) => kernel.makeTurnDue(element)),
    };
    this.#waitLine = new WaitLine(ref, policy, behaviour, visit, this.errors());
    this.#lineState = this.#waitLine.lineState;
    this.#turn = turnAt(ref);
    this.#id = id;
    this.#enter = kernel.enterTurnstile;
    this.#enterInTurn = kernel.enterInTurn;
    this.#leave = kernel.leaveTurnstile;
    this.#leaveInTurn = kernel.leaveInTurn;
    this.handle = handleTo('sluice.turnstile', ref, TURNSTILE.kernel.id);
  }

  /**
   * Creates a turnstile that no agent is in.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: TurnstileOptions = {}): Turnstile {
    return construct(...createTurnstile(options));
  }

  /**
   * Returns the turnstile of a handle.
   *
   * @throws {HandleError} If the handle does not refer to a live turnstile.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: TurnstileHandle, options: Pick<TurnstileOptions, 'policy'> = {}): Turnstile {
    return construct(...openWithPolicy(TURNSTILE, handle, options));
  }

  /** Whether no agent is inside and none waits, at this moment. */
  get empty(): boolean {
    return this.#kernel.isTurnstileUnused(this.#address) !== 0;
  }

  /**
   * Enters, blocking until that is possible. Enters at once if a task of this agent is inside.
   *
   * @throws {MisuseError} On a browser's main thread; use `arriveAsync`.
   * @throws {DeadlockError} If this agent has an earlier async wait here, which could not settle while the agent is
   *   blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  arrive(): void {
    if (this.#enterInOwnTurn()) return;
    if (!mayBlock()) refuseToBlock();
    if (this.#enter(this.#address, this.#lineState.tag, this.#id) === TAKEN) this.#turn.inside = 1;
    else this.#wait(Infinity);
  }

  /**
   * Enters if that is possible within `timeoutMs` ms (with 0, the call does not wait); returns whether this agent is
   * inside. Overtakes a waiter only in a turn of this agent.
   *
   * @throws The errors of `arrive`.
   */
  tryArrive(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (this.#enterInOwnTurn()) return true;
    if (this.#enter(this.#address, this.#lineState.tag, this.#id) !== TAKEN) return this.#wait(timeoutMs);
    this.#turn.inside = 1;
    return true;
  }

  /**
   * Enters without blocking; the promise resolves when this agent is inside. Rejects with `TimeoutError`,
   * `signal.reason` or `ArenaFullError`; then it is not inside.
   */
  async arriveAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const checked = checkWait(options);
    if ((this.#turn.inside === 0 || !this.#hasWaiters()) && this.#enterInOwnTurn()) {
      const later = this.context.budget.spend();
      if (later !== undefined) await later;
      return;
    }
    if ((await this.#waitLine.enterAsync(checked, () => (this.#turn.inside = 1))) === SHUT) this.checkThere();
  }

  /**
   * Leaves. If other agents wait and the turn is used up, the turn ends.
   *
   * @throws {MisuseError} If this agent is not inside.
   */
  depart(): void {
    const turn = this.#turn;
    if (turn.inside === 0) this.#refuseDeparture();
    turn.inside -= 1;
    if (turn.inside > 0) return;
    const { tag } = this.#lineState;
    const left = turn.isOpen
      ? this.#leaveInTurn(this.#address, tag, this.#id)
      : this.#leave(this.#address, tag, this.#id);
    if (left !== IDLE)
      turn.leave((ends) => this.#kernel.departTurnstile(this.#address, this.context.agent, this.#id, ends));
  }

  /** Returns a snapshot: the agent inside, the waiters, and since when each has waited. */
  inspect(): TurnstileReport {
    this.checkThere();
    return reportTurnstile(this.ref, this.#waitLine.inspect());
  }

  /** Frees the memory as `Capacitor.free` does. */
  free(): void {
    this.checkThere();
    if (this.#enter(this.#address, this.#lineState.tag, this.#id) !== TAKEN) throw this.errors().inUse();
    this.freeBlock();
  }

  #hasWaiters(): boolean {
    return isAwaited(this.context.words, this.#address);
  }

  /** Enters if a task of this agent is inside, or during a turn of this agent. */
  #enterInOwnTurn(): boolean {
    const turn = this.#turn;
    if (turn.inside === 0) {
      if (!turn.isOpen) return false;
      turn.isOpen = this.#enterInTurn(this.#address, this.#lineState.tag, this.#id) === TAKEN;
      if (!turn.isOpen) return false;
    }
    turn.inside += 1;
    return true;
  }

  #wait(timeoutMs: number): boolean {
    const outcome = this.#waitLine.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    if (outcome !== TAKEN) return false;
    this.#turn.inside = 1;
    return true;
  }

  #refuseDeparture(): never {
    this.checkThere();
    throw this.notInside();
  }
}

/** Opens a turnstile over words that exist already, for models. */
export function turnstileAt(ref: BlockRef, policy: WaitingPolicy): Turnstile {
  return construct(ref, policy);
}
