// The countdown latch, as one agent sees it. The words, states and invariants are in kernel/latch.ts.

import { MisuseError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import { GRANT, OVERFLOW, IDLE, RACED, TOO_FEW, type AgentAddress, type LineAddress } from '@sluice/core/format';
import { checkInteger, checkTimeout } from '@sluice/core/calls';
import {
  asCorrupt,
  createLine,
  handleTo,
  openWithPolicy,
  recordedAt,
  retryOrThrow,
  Waitable,
  PrimitiveLine,
  type LineShape,
  type LineState,
  type LockOptions,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { MAX_COUNT } from './kernel/layout.ts';
import { LATCH, type LatchKernel, type LatchSteps } from './kinds.ts';
import { countAt, reportLatch, type CountdownLatchReport } from './report.ts';

export type CountdownLatchHandle = PrimitiveHandle<'sluice.countdown-latch'>;
export type CountdownLatchOptions = LockOptions;

const SHAPE: LineShape<LatchSteps> = {
  kind: LATCH,
  className: 'CountdownLatch',
  what: 'The latch',
  late: 'did not reach 0',
  untouched: 'It was not changed.',
  ordered: false,
  state: (ref) => `count ${countAt(ref)}`,
  blame: (ref) => [{ how: 'claimed', agents: recordedAt(ref.context, ref) }],
  behaviour: { recorded: true, together: true },
  enterOrEnqueue: ({ context, address, tag }) => {
    const kernel = context.kernel as LatchKernel;
    return (mayWait) => kernel.enqueueAtLatch(address, tag, context.agent, mayWait);
  },
};

let construct: (ref: BlockRef, policy: WaitingPolicy) => CountdownLatch;

/**
 * A countdown latch (also known as "wait group"): agents count down, and other agents wait until the count is 0.
 *
 * - When the count reaches 0, all waiters are admitted at once. While it is 0, a wait returns at once.
 * - The latch is reusable: `add` at count 0 begins a new round. Waiters of the previous round are not affected.
 * - Writes before a `done` are visible to every waiter that is admitted when its round ends.
 * - If an agent that has called `claim` dies, its recovery counts down for it.
 *
 * ```ts run
 * import { Region } from '@sluice/core';
 * import { CountdownLatch } from '@sluice/barrier';
 *
 * const parts = CountdownLatch.create(2, { name: 'parts' });
 * const sums = Region.create(8).int32;
 * for (const part of [0, 1]) {
 *   sums[part] = part + 1;
 *   parts.done();
 * }
 * parts.wait();
 * console.log(sums[0] + sums[1], parts.count); // 3 0
 * ```
 */
export class CountdownLatch extends Waitable {
  /** The handle to post to another thread. Pass it to `CountdownLatch.from` there. */
  readonly handle: CountdownLatchHandle;
  readonly #waits: PrimitiveLine;
  // The uncontended path reads these fields directly: that saves one lookup per call.
  readonly #latch: LineAddress;
  readonly #agent: AgentAddress;
  readonly #lineState: LineState;
  readonly #countDown: LatchKernel['countDown'];

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const waits = new PrimitiveLine(ref, policy, SHAPE);
    super(waits);
    this.#waits = waits;
    this.#latch = ref.address;
    this.#agent = ref.context.agent;
    this.#lineState = waits.lineState;
    this.#countDown = this.#kernel.countDown;
    this.handle = handleTo('sluice.countdown-latch', ref, LATCH.kernel.id);
  }

  /**
   * Creates a latch.
   *
   * @param count - The initial count, 0 to 2^31 − 1. Default: 0.
   * @throws {RangeError} If the count or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(count = 0, options: CountdownLatchOptions = {}): CountdownLatch {
    checkInteger('The count', count, 0, MAX_COUNT, ['create(1, OPTIONS)']);
    return construct(
      ...createLine(LATCH, options, SHAPE.behaviour, (words, latch) => words.put32(latch + GRANT, 0 - count)),
    );
  }

  /**
   * Opens the latch that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live latch.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: CountdownLatchHandle, options: Pick<CountdownLatchOptions, 'policy'> = {}): CountdownLatch {
    return construct(...openWithPolicy(LATCH, handle, options));
  }

  get #kernel(): LatchKernel {
    return this.#waits.context.kernel as LatchKernel;
  }

  /** The outstanding count. At 0 a wait returns at once. */
  get count(): number {
    this.#waits.checkThere();
    return countAt(this.#waits.ref);
  }

  /**
   * Increases the count by `n`. At count 0 this begins a new round.
   *
   * Any agent may call it at any time. Call it before a waiter calls `wait`: a waiter that finds count 0 does not wait
   * for the work.
   *
   * @param n - 1 to 2^31 − 1.
   * @throws {RangeError} If the count would exceed 2^31 − 1. Then it was not changed.
   */
  add(n = 1): void {
    checkInteger('The number to add', n, 1, MAX_COUNT);
    let added: ReturnType<LatchSteps['addToLatch']>;
    let tries = 0;
    do added = this.#kernel.addToLatch(this.#latch, this.#lineState.tag, n);
    while (added === RACED && retryOrThrow(++tries, this));
    if (added === OVERFLOW)
      throw new RangeError(
        `${this.toString()} cannot count up by ${n}: its count is ${this.count}, and the maximum is ${MAX_COUNT}. It was not changed.`,
      );
    this.#waits.wake(added);
  }

  /**
   * Claims `n` of the count for this agent. If the agent dies before it has called `done` for its claims, its recovery
   * counts down in its place.
   *
   * The count does not change. Each `done` by this agent first uses up its claims. Without a claim, no recovery counts
   * down for a dead agent, and the waiters wait until their timeout.
   *
   * @param n - 1 to 2^31 − 1.
   * @throws {MisuseError} If the agent's claims would exceed the count. Then it claimed nothing.
   */
  claim(n = 1): void {
    checkInteger('The number to claim', n, 1, MAX_COUNT);
    const claimed = this.#kernel.claimAtLatch(this.#latch, this.#lineState.tag, this.#lineState.entry, n);
    if (claimed === TOO_FEW) throw this.#tooMany(`: ${n} more claims would exceed its count of ${this.count}`);
    this.#waits.wake(claimed);
  }

  /**
   * Decreases the count by `n`. At 0 all waiters are admitted.
   *
   * Any agent may call it, also for an `add` of another agent. It never blocks.
   *
   * @param n - 1 to 2^31 − 1.
   * @throws {MisuseError} If the count is less than `n`. Then it was not changed.
   */
  done(n = 1): void {
    if (n !== 1) checkInteger('The number to count down', n, 1, MAX_COUNT);
    const { tag, entry } = this.#lineState;
    let left: ReturnType<LatchSteps['countDown']>;
    let tries = 0;
    try {
      do left = this.#countDown(this.#latch, tag, this.#agent, entry, n);
      while (left === RACED && retryOrThrow(++tries, this));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (left === TOO_FEW) throw this.#tooMany(` cannot be counted down by ${n}: its count is ${this.count}`);
    if (left !== IDLE) this.#waits.wake(left);
  }

  /**
   * Waits until the count is 0, blocking the calling thread.
   *
   * @throws {MisuseError} On a browser's main thread; use `waitAsync`.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  wait(): void {
    this.#waits.checkBlocking();
    if (!this.#waits.enter(0)) this.#waits.enter(Infinity);
  }

  /**
   * Waits as `wait` does, for at most `timeoutMs` ms. Returns whether the wait was admitted.
   *
   * With 0, the default, the call does not wait.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `wait`.
   */
  tryWait(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#waits.enter(timeoutMs);
  }

  /**
   * Waits as `wait` does, without blocking the thread.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`.
   */
  async waitAsync(options?: WaitOptions): Promise<void> {
    await this.#waits.enterAsync(options);
  }

  /** A snapshot of the latch: its count, the agents with claims, its waiters and since when each has waited. */
  inspect(): CountdownLatchReport {
    return reportLatch(this.#waits.ref, this.#waits.report());
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { count: this.count, waiting: this.waiting };
  }

  #tooMany(reason: string): MisuseError {
    return new MisuseError(`${this.toString()}${reason}. It was not changed.`);
  }
}

/** Opens a latch over words that exist already, for models. */
export function countdownLatchAt(ref: BlockRef, policy: WaitingPolicy): CountdownLatch {
  return construct(ref, policy);
}
