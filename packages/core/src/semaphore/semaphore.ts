// The semaphore: loops around the steps of kernel/admit.ts. That file defines the protocol.
//
// After Dice & Kogan, "Semaphores Augmented with a Waiting Array", Listings 1 to 3. Our additions: cancellation,
// several permits at once, closing, the walk by the releaser (in the paper each waiter wakes the next), and atomic
// steps (src/kernel).

import { PermitErrors, type PrimitiveErrors, type WaitErrors } from '../error-text/primitive-errors.ts';
import type { AgentContext, LineState } from '../agent/agent-context.ts';
import { asCorrupt, orCorrupt } from '../memory/corrupt.ts';
import type { PrimitiveHandle } from '../memory/handle.ts';
import { findPrimitive, handleTo } from '../primitive/block.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import { retryOrThrow, retryWhileRaced } from '../memory/retry.ts';
import { checkOptions, checkTimeout, FROM_OPTIONS } from '../api/check.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { KIND_SEMAPHORE, MODE_ASYNC, MODE_BLOCKING } from '../kernel/layout.ts';
import type { AgentAddress, ElementAddress } from '../kernel/addresses.ts';
import { isElement } from '../agent/is-element.ts';
import { unfollowed } from '../agent/observer.ts';
import {
  IDLE,
  NEEDS_WALK,
  OVER_BOUND,
  RACED,
  SHUT,
  TAKEN,
  type Draw,
  type Release,
  type Try,
} from '../kernel/states.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { mayBlock } from '../agent/parking.ts';
import { createPermits, SemaphoreBlock } from './semaphore-block.ts';
import { mergePolicy, type WaitingPolicy } from '../api/waiting-policy.ts';
import { reserveStack } from '../platform/reserve-stack.ts';
import { overMax, refuseToBlock, rejected } from '../api/failures.ts';
import { blockInLine, wakeNext } from '../line/line.ts';
import { takeInLine } from '../line/line-async.ts';
import { checkWait, NO_WAIT_OPTIONS } from '../api/wait-options.ts';
import { type SemaphoreOptions } from './options.ts';

export type SemaphoreHandle = PrimitiveHandle<'sluice.semaphore'>;

let construct: (ref: BlockRef, policy: WaitingPolicy) => Semaphore;
/**
 * Acquires one permit as `acquireAsync` does, with options that are already checked. Its errors come from `errors`,
 * which names another primitive in place of the semaphore.
 */
export let acquireFor: (semaphore: Semaphore, options: WaitOptions, errors: WaitErrors) => Promise<void>;

/**
 * A fair counting semaphore, shared by all agents of an arena.
 *
 * - Waiters are served in strict FIFO order, blocking and async waiters together, whatever number of permits each
 *   requests.
 * - `tryAcquire` without a timeout does not barge: it takes only permits for which no waiter is in line.
 * - A wait that times out or is aborted takes no permit and delays no other waiter.
 * - A grant that arrives before the timeout or the abort wins.
 * - Permits are not bound to agents: any agent may release.
 *
 * ```ts run
 * import { Semaphore } from '@sluice/core';
 *
 * const files = Semaphore.create(2, { name: 'open files' });
 * files.acquire();
 * console.log(files.available, files.tryAcquire(2)); // 1 false
 * files.release();
 * await files.runAsync(async () => console.log(files.available)); // 1
 * ```
 */
export class Semaphore extends SemaphoreBlock {
  /** The handle to post to another thread. Pass it to `Semaphore.from` there. */
  readonly handle: SemaphoreHandle;
  // Fields of the uncontended paths. Numbers are read from the line state where possible: the engine knows its fields
  // to be integers.
  readonly #context: AgentContext;
  readonly #lineState: LineState;
  readonly #policy: WaitingPolicy;
  readonly #errors: PrimitiveErrors;
  readonly #agent: AgentAddress;
  readonly #acquire: Kernel['acquire'];
  readonly #tryAcquire: Kernel['tryAcquire'];
  readonly #release: Kernel['release'];

  static {
    // Use `this`, not the class's own name: bundlers rename a class that refers to itself by name.
    construct = (ref, policy) => new this(ref, policy);
    acquireFor = async (semaphore, options, what) => {
      if (!semaphore.#tryAtOnce(1, what)) await semaphore.#acquireAsyncContended(1, options, what);
    };
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, policy, 'Semaphore');
    const { context, lineState, errors } = this;
    const { kernel, agent } = context;
    this.#context = context;
    this.#lineState = lineState;
    this.#policy = policy;
    this.#errors = errors;
    this.#agent = agent;
    this.#acquire = mayBlock() ? kernel.acquire : refuseToBlock;
    this.#tryAcquire = kernel.tryAcquire;
    this.#release = kernel.release;
    this.handle = handleTo('sluice.semaphore', ref);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @param permits - 0 to `max` (or 2^31 − 1).
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: SemaphoreOptions = {}): Semaphore {
    return construct(...createPermits(permits, options));
  }

  /**
   * Opens the semaphore that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: SemaphoreHandle, options: Pick<SemaphoreOptions, 'policy'> = {}): Semaphore {
    checkOptions(options, FROM_OPTIONS);
    const ref = findPrimitive(handle, 'sluice.semaphore', KIND_SEMAPHORE);
    return construct(ref, mergePolicy(ref.arena.policy, options.policy));
  }

  /**
   * Acquires `permits`, blocking the calling thread until they are available (also known as "wait", "P" or "down").
   *
   * Waiters are served in FIFO order, together with async waiters. If the call throws, no permit was taken.
   *
   * @param permits - 1 to `max` (or 2^31 − 1).
   * @throws {RangeError} If `permits` is out of range.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this semaphore, which could not settle while
   *   the agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { block, tag, entry } = this.#lineState;
    let drawn: Draw;
    try {
      drawn = this.#acquire(block, tag, entry, permits, this.#agent);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (drawn === TAKEN) return;
    // Lost wake-up, waiter side: the wait links its element before it reads grant again. Pairs with `release`.
    const outcome = blockInLine(this.#context, this.#lineState, drawn, this.#policy, Infinity, this.#errors);
    if (outcome === SHUT) throw this.#closedSince(drawn);
  }

  /**
   * Acquires `permits` if they become available within `timeoutMs`; returns whether it did.
   *
   * With 0, the default, the call does not wait, and it does not barge: it takes only permits for which no waiter is in
   * line. With a timeout, the caller waits in line.
   *
   * @param permits - 1 to `max` (or 2^31 − 1).
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `acquire`; `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const taken = this.#tryAtOnce(permits);
    if (taken || timeoutMs === 0) return taken;
    if (!mayBlock()) refuseToBlock();
    const drawn = this.#draw(permits, MODE_BLOCKING);
    const outcome = blockInLine(this.#context, this.#lineState, drawn, this.#policy, timeoutMs, this.#errors);
    if (outcome === SHUT) throw this.#closedSince(drawn);
    return outcome === TAKEN;
  }

  /**
   * Acquires `permits` without blocking the thread; the promise resolves when they are acquired.
   *
   * Waits in the same FIFO line as `acquire`. A pending wait keeps the event loop alive, unless `ref` is `false`. If
   * the promise rejects, no permit was taken. It rejects with:
   *
   * - `RangeError` or `TypeError` if an argument is wrong;
   * - `TimeoutError` if `timeout` elapses first, and `signal.reason` if the signal is aborted first;
   * - `ClosedError` if the semaphore is closed, before or during the wait;
   * - `ArenaFullError` if the arena has no room for the waiter.
   *
   * @param permits - 1 to `max` (or 2^31 − 1).
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    let checked = options;
    try {
      if (permits !== 1) this.checkPermits(permits);
      if (options !== NO_WAIT_OPTIONS) checked = checkWait(options);
      if (this.#tryAtOnce(permits)) return this.#context.budget.done();
    } catch (failure) {
      return rejected(failure);
    }
    return this.#acquireAsyncContended(permits, checked, new PermitErrors(this.#errors, permits));
  }

  /**
   * Acquires all free permits at once, without waiting; returns how many.
   *
   * @throws {ClosedError} If the semaphore is closed.
   */
  drain(): number {
    const { block, tag, entry } = this.#lineState;
    const taken = retryWhileRaced(() => this.#context.kernel.drain(block, tag, entry));
    if (taken === SHUT) throw this.#shut();
    return taken;
  }

  /**
   * Releases `permits` and wakes the waiters that can now proceed (also known as "signal", "post", "V" or "up").
   *
   * Any agent may release, also permits that another agent acquired. On a closed semaphore the call succeeds and wakes
   * no waiter.
   *
   * @param permits - 1 to `max` (or 2^31 − 1).
   * @throws {RangeError} If `permits` is out of range, or more than `max` permits would be free. Nothing was released.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { block, tag, entry } = this.#lineState;
    // Lost wake-up, release side: the kernel's `release` adds to grant before it reads the line. Pairs with `link` in
    // the wait of `acquire`.
    let released: Release | ElementAddress;
    try {
      released = this.#release(block, tag, this.#agent, entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (released === IDLE) return;
    if (released > 0 || released === NEEDS_WALK) wakeNext(this.#context, block, this.#policy, released);
    else this.#releaseRefused(released, permits);
  }

  /**
   * Closes the semaphore: every waiter and every later attempt to acquire fails with `ClosedError`.
   *
   * Closing it again has no effect.
   */
  close(): void {
    this.checkThere();
    reserveStack();
    const { kernel, agent } = this.#context;
    const { address, tag } = this.ref;
    // Write the tag first, then sweep every bucket. A waiter that links later sees the tag (`link`). The sweep finds a
    // waiter that linked before.
    if (kernel.close(agent, address, tag) === TAKEN) this.#context.finishWalk();
  }

  #acquireAsyncContended(permits: number, options: WaitOptions, errors: WaitErrors): Promise<void> {
    if (options.timeout === 0) return this.#context.budget.refuse(errors.timedOut(0, 0));
    let drawn: Draw = SHUT;
    const draw = (): Draw => {
      drawn = this.#draw(permits, MODE_ASYNC);
      return !isElement(drawn) ? drawn : this.#context.begin(drawn, this.#lineState.entry, MODE_ASYNC);
    };
    return takeInLine(this.#context, this.#lineState, draw, options, {
      errors,
      linksLate: true,
      shut: () => this.#closedSince(drawn, errors),
    });
  }

  /**
   * Draws a ticket. Returns TAKEN, SHUT or the element that has to wait. It reserves the element first, so that the
   * wait can be cancelled at any time. Throws `ArenaFullError` before it draws a ticket.
   */
  #draw(permits: number, mode: number): Draw {
    const { block, tag, entry } = this.#lineState;
    this.#context.refill(mode);
    return orCorrupt(() => this.#context.kernel.acquire(block, tag, entry, permits, this.#agent));
  }

  #tryAtOnce(permits: number, errors: WaitErrors = this.#errors): boolean {
    const { block, tag, entry } = this.#lineState;
    let taken: Try;
    let tries = 0;
    do taken = this.#tryAcquire(block, tag, entry, permits);
    while (taken === RACED && retryOrThrow(++tries, this));
    if (taken === SHUT) throw this.#shut(errors);
    return taken === TAKEN;
  }

  #releaseRefused(released: Release | ElementAddress, permits: number): void {
    const { block, tag, entry } = this.#lineState;
    const again = (): Release | ElementAddress => this.#release(block, tag, this.#agent, entry, permits);
    const result = released === RACED ? orCorrupt(() => retryWhileRaced(again)) : released;
    if (result > 0 || result === NEEDS_WALK) wakeNext(this.#context, block, this.#policy, result);
    else if (result === SHUT) this.#forget(permits);
    else if (result === OVER_BOUND) throw overMax(permits, this.max, this.toString(), this.available);
  }

  /** Removes the permits from the agent's ledger. The semaphore is closed, so no waiter needs them. */
  #forget(permits: number): void {
    this.checkThere();
    const { entry } = this.#lineState;
    const { words } = this.#context;
    if (entry !== 0) words.put64(entry, BigInt(Math.max(0, Number(words.get64(entry)) - permits)));
  }

  /**
   * Returns the error of a wait on a closed semaphore. If `drawn` is not SHUT, the semaphore was closed during the
   * wait, and it may have been freed since.
   */
  #closedSince(drawn: Draw, errors: WaitErrors = this.#errors): Error {
    return drawn === SHUT ? this.#shut(errors) : errors.closed();
  }

  #shut(errors: WaitErrors = this.#errors): Error {
    this.checkThere();
    return errors.closed();
  }
}

/** Opens a semaphore over words that exist already, for primitives built from semaphores and for models. */
export function semaphoreAt(ref: BlockRef, policy: WaitingPolicy): Semaphore {
  return unfollowed(() => construct(ref, policy));
}
