// The cyclic barrier, as one agent sees it. The words, states and invariants are in kernel/barrier.ts.

import { MisuseError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import { FLAG_SLEEP_WORD, FLAGS, GRANT, OVERFLOW, TOO_FEW, WAITING, type LineAddress } from '@sluice/core/format';
import {
  checkInteger,
  checkTimeout,
  checkWait,
  NO_WAIT_OPTIONS,
  FROM_OPTIONS,
  PLACED_OPTIONS,
  reserveStack,
} from '@sluice/core/calls';
import {
  createLine,
  deadlineIn,
  handleTo,
  leftUntil,
  openWithPolicy,
  retryWhileRaced,
  Waitable,
  PrimitiveLine,
  type LineState,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { Arrivals, isActing, type BarrierResult } from './arrivals.ts';
import { BlockingWaits } from './blocking.ts';
import { reportBarrier, stateAt, stateText, type BarrierReport } from './barrier-report.ts';
import { MAX_PARTIES, PARTIES_AT } from './kernel/layout.ts';
import { ABORTED, ACTS_NOW, RESET } from './kernel/outcomes.ts';
import { checkAction, shapeOf, type Action, type BarrierOptions } from './barrier-shape.ts';
import { BARRIER, type BarrierKernel } from './kinds.ts';

export type BarrierHandle = PrimitiveHandle<'sluice.barrier'>;

let construct: (ref: BlockRef, policy: WaitingPolicy, action: Action) => Barrier;

/**
 * A cyclic barrier: no party goes on before all have arrived. Then the next generation begins.
 *
 * - The number of parties is given to `create`, and changed by `register` and `deregister`. Parties are not bound to
 *   threads.
 * - Writes before an arrival are visible to the action, and to every party that the generation lets go on.
 * - A generation *trips* for all of its parties or is *broken* for all. It is broken by a wait that times out or is
 *   aborted, by an action that throws, and by calls of `abort` and `reset`. The death of an agent in a wait, or of an
 *   agent with parties of its own (`register`, `claim`), breaks it, too.
 * - Waits at a broken barrier throw `BrokenBarrierError` until `reset` or `mend` is called, as at Java's
 *   `CyclicBarrier`.
 *
 * ```ts run
 * import { Barrier } from '@sluice/barrier';
 *
 * const barrier = Barrier.create(2, { name: 'phase', action: () => console.log('both are here') });
 * const first = barrier.waitAsync();
 * const last = barrier.wait(); // runs the action, then admits both
 * console.log((await first).leader, last.leader, barrier.generation); // true false 1
 * ```
 */
export class Barrier extends Waitable {
  /** The handle to post to another thread. Pass it to `Barrier.from` there. */
  readonly handle: BarrierHandle;
  readonly #waits: PrimitiveLine;
  readonly #barrier: LineAddress;
  readonly #lineState: LineState;
  readonly #acts: number;
  readonly #arrivals: Arrivals;
  readonly #blocking: BlockingWaits;

  static {
    construct = (ref, policy, action) => new this(ref, policy, action);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy, action: Action) {
    const waits = new PrimitiveLine(ref, policy, shapeOf(action));
    super(waits);
    this.#waits = waits;
    this.#barrier = ref.address;
    this.#lineState = waits.lineState;
    this.#acts = action === undefined ? 0 : 1;
    this.#arrivals = new Arrivals(ref, this.#lineState, action, this, (tripped) => waits.wake(tripped));
    this.#blocking = new BlockingWaits(ref, this.#lineState, this.#arrivals, policy, this.#acts);
    this.handle = handleTo('sluice.barrier', ref, BARRIER.kernel.id);
  }

  /**
   * Creates a barrier.
   *
   * @param parties - The number of parties in each generation, 0 to 32767. With 0, `register` adds the first.
   * @throws {RangeError} If the number or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(parties: number, options: BarrierOptions = {}): Barrier {
    checkInteger('The number of parties', parties, 0, MAX_PARTIES, ['create(1, OPTIONS)']);
    const { action, ...more } = checkAction(options, PLACED_OPTIONS);
    const [ref, policy] = createLine(BARRIER, more, { recorded: true }, (words, barrier) => {
      words.put32(barrier + FLAGS, FLAG_SLEEP_WORD);
      words.put32(barrier + GRANT, parties << PARTIES_AT);
    });
    return construct(ref, policy, action);
  }

  /**
   * Opens the barrier that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live barrier.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: BarrierHandle, options: Pick<BarrierOptions, 'policy' | 'action'> = {}): Barrier {
    const { action, ...more } = checkAction(options, FROM_OPTIONS);
    const [ref, policy] = openWithPolicy(BARRIER, handle, more);
    return construct(ref, policy, action);
  }

  get #kernel(): BarrierKernel {
    return this.#waits.context.kernel as BarrierKernel;
  }

  /** The number of parties that a generation waits for. */
  get parties(): number {
    return this.#state.parties;
  }

  /** The number of generations that have ended, tripped or broken. It wraps at 2^32. */
  get generation(): number {
    return this.#state.generation;
  }

  /** Whether a generation was broken and neither `reset` nor `mend` has been called since. */
  get broken(): boolean {
    return this.#state.broken !== undefined;
  }

  get #state(): ReturnType<typeof stateAt> {
    this.#waits.checkThere();
    return stateAt(this.#waits.ref);
  }

  /**
   * Arrives, and blocks the calling thread until all parties have arrived.
   *
   * @throws {BrokenBarrierError} If the barrier is broken, or its generation is broken during the wait.
   * @throws {MisuseError} On a browser's main thread; use `waitAsync`. Also if the barrier has no parties.
   * @throws {DeadlockError} In the action of this barrier on this thread.
   * @throws {ArenaFullError} If the arena has no room for the waiter. Then it has not arrived.
   */
  wait(): BarrierResult {
    this.#waits.checkBlocking();
    // Reserve stack first: after the arrival, the generation has to end even if the action overflows the stack.
    reserveStack();
    for (;;) {
      const result = this.#arrivals.conclude(this.#blocking.meet());
      if (result !== undefined) return result;
    }
  }

  /**
   * Arrives, and waits at most `timeoutMs` for the others. Returns `undefined` on timeout. The generation is then
   * broken, because this party has left it.
   *
   * With 0, the default, it arrives only if it is the last party. Otherwise it returns `undefined`, and nothing was
   * changed.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `wait`. Throws `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  tryWait(timeoutMs = 0): BarrierResult | undefined {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (timeoutMs > 0) this.#waits.checkBlocking();
    reserveStack();
    const { parking } = this.#waits.context;
    const end = deadlineIn(parking, timeoutMs);
    for (let left = timeoutMs; ; left = leftUntil(parking, end)) {
      const outcome = left > 0 ? this.#blocking.meetWithin(left) : this.#meetNow();
      if (outcome === WAITING) return undefined;
      const result = this.#arrivals.conclude(outcome);
      if (result !== undefined) return result;
    }
  }

  /** Arrives if this is the last party. Returns WAITING if it is not. */
  #meetNow(): number {
    return this.#waits.enter(0) ? this.#arrivals.outcome : WAITING;
  }

  /**
   * Arrives, and waits without blocking the thread until all parties have arrived.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects as `wait` throws. Also rejects with
   * `TimeoutError` or `signal.reason`, and the generation is then broken. With `timeout: 0` it arrives only if it is
   * the last party. The last party runs the action before `waitAsync` returns, unless it had to wait for the action of
   * the generation before.
   */
  async waitAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<BarrierResult> {
    const { timeout = Infinity, signal, ref } = checkWait(options);
    reserveStack();
    const { parking } = this.#waits.context;
    const end = deadlineIn(parking, timeout);
    for (let left = timeout; ; left = leftUntil(parking, end)) {
      let outcome = 0;
      let acted: BarrierResult | undefined;
      await this.#waits.enterAsync(
        { timeout: left, ...(signal === undefined ? {} : { signal }), ...(ref === undefined ? {} : { ref }) },
        () => {
          ({ outcome } = this.#arrivals);
          // Run the action in this turn: if this agent blocked here before its action had run, no other agent could end
          // the generation.
          if (isActing(outcome)) acted = this.#arrivals.conclude(outcome);
        },
        timeout,
      );
      const result = acted ?? this.#arrivals.conclude(outcome);
      if (result !== undefined) return result;
    }
  }

  /**
   * Adds `n` parties, which belong to this agent. The open generation waits for them, too; while an action runs, only
   * the next one does. If this agent dies before they leave, its recovery breaks the generation and removes them.
   *
   * @param n - 1 to 32767.
   * @throws {RangeError} If there would be more than 32767 parties. Then nothing was changed.
   */
  register(n = 1): void {
    checkInteger('The number of parties', n, 1, MAX_PARTIES);
    const { tag, entry } = this.#lineState;
    const added = retryWhileRaced(() => this.#kernel.registerAtBarrier(this.#barrier, tag, entry, n), this);
    if (added === OVERFLOW)
      throw new RangeError(
        `${this.toString()} cannot have ${n} more than its ${this.parties} parties: the maximum is ${MAX_PARTIES}. It was not changed.`,
      );
    this.#waits.wake(added);
  }

  /**
   * Names `n` of the existing parties as this agent's. If the agent dies before they leave, its recovery breaks the
   * generation and removes them.
   *
   * Use it for parties that were given to `create`. Without `claim`, the barrier notices only the death of an agent
   * that waits.
   *
   * @param n - 1 to 32767.
   * @throws {MisuseError} If this agent would have more parties than there are. Then nothing was changed.
   */
  claim(n = 1): void {
    checkInteger('The number of parties', n, 1, MAX_PARTIES);
    const { tag, entry } = this.#lineState;
    const claimed = this.#kernel.claimParties(this.#barrier, tag, entry, n);
    if (claimed === TOO_FEW)
      throw new MisuseError(
        `${this.toString()}: this agent cannot be ${n} more of its ${this.parties} parties. It was not changed.`,
      );
    this.#waits.wake(claimed);
  }

  /**
   * Removes `n` parties that have not arrived. Never blocks. If all remaining parties have arrived, the action of this
   * instance runs, and the generation trips.
   *
   * Parties that this agent has registered or claimed are removed first. Known as `arriveAndDeregister` and
   * `arrive_and_drop`.
   *
   * @param n - 1 to 32767.
   * @throws {MisuseError} If fewer than `n` parties have not arrived. Then nothing was changed.
   */
  deregister(n = 1): void {
    checkInteger('The number of parties', n, 1, MAX_PARTIES);
    const { tag, entry } = this.#lineState;
    reserveStack();
    const { agent } = this.#waits.context;
    const left = retryWhileRaced(
      () => this.#kernel.leaveBarrier(this.#barrier, tag, agent, entry, n, this.#acts),
      this,
    );
    if (left === TOO_FEW)
      throw new MisuseError(
        `${this.toString()}: ${n} cannot leave: ${stateText(this.#waits.ref)}. It was not changed.`,
      );
    if (left === ACTS_NOW) this.#arrivals.act();
    else this.#waits.wake(left);
  }

  /**
   * Makes the barrier whole. If parties wait, or the action runs, their generation is broken first: their waits throw
   * `BrokenBarrierError`. If the barrier is whole and no party waits, nothing changes.
   */
  reset(): void {
    // The waiters of the generation that the step breaks must be woken.
    reserveStack();
    const { tag } = this.#lineState;
    this.#waits.wake(
      retryWhileRaced(() => this.#kernel.breakBarrier(this.#barrier, tag, this.#waits.context.agent, RESET)),
    );
    this.mend();
  }

  /**
   * Breaks the barrier, whether or not parties wait. For a party that cannot continue. Waits of this generation, and
   * arrivals until `reset` or `mend`, throw `BrokenBarrierError`. Like Python's `Barrier.abort`.
   */
  abort(): void {
    reserveStack();
    const { tag } = this.#lineState;
    this.#waits.wake(
      retryWhileRaced(() => this.#kernel.breakBarrier(this.#barrier, tag, this.#waits.context.agent, ABORTED)),
    );
  }

  /**
   * Makes a broken barrier whole. Changes nothing if the barrier is whole, so every party may call it after a
   * `BrokenBarrierError`. If each party called `reset` instead, a late call could break the generation in which another
   * party already waits.
   */
  mend(): void {
    const { tag } = this.#lineState;
    this.#waits.wake(retryWhileRaced(() => this.#kernel.mendBarrier(this.#barrier, tag)));
  }

  /**
   * Returns a snapshot: the parties, arrivals and waiters, the generation, the reason why it is broken, and the agents
   * with parties of their own.
   */
  inspect(): BarrierReport {
    return reportBarrier(this.#waits.ref, this.#waits.report());
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    const { parties, arrived, generation, broken } = this.#state;
    return { parties, arrived, generation, ...(broken === undefined ? {} : { broken }) };
  }
}

/** Opens a barrier over words that exist already, for models. */
export function barrierAt(ref: BlockRef, policy: WaitingPolicy, action?: () => unknown): Barrier {
  return construct(ref, policy, action);
}
