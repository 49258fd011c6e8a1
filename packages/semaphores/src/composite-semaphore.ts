// A semaphore made of several lines. The front line has the name, the permits and their holders. Agents wait in the
// inner lines.

import { UnsupportedError, type SemaphoreReport, type WaitOptions } from '@sluice/core';
import { type Poll, GATE, RACED, SHUT, TAKEN } from '@sluice/core/format';
import { checkTimeout, checkWait, MAX_PERMITS, NO_WAIT_OPTIONS, refuseToBlock, rejected } from '@sluice/core/calls';
import { type LineRef, finishPending, mayBlock, retryOrThrow, PermitErrors } from '@sluice/core/internal';
import { type LineReport, reportLine, reportSemaphore } from '@sluice/core/report';
import type { ReleaseOrTell } from './kernel/release.ts';
import { SemaphoreBase } from './semaphore-base.ts';

export abstract class CompositeSemaphore<Name extends string> extends SemaphoreBase<Name> {
  /** Takes at most `most` permits without waiting. Returns their number, or RACED, or SHUT. */
  protected abstract takeOnce(most: number): number;
  /**
   * Waits for one permit. Returns TAKEN, SHUT, or WAITING when the time ran out. `priority` is used only if waiters
   * have one.
   */
  protected abstract block(timeoutMs: number, priority: number): Poll;
  /**
   * Waits as `block` does, without blocking. Rejects with the reason for which the wait ended, also if the semaphore
   * was closed.
   */
  protected abstract await(options: WaitOptions, priority: number): Promise<void>;
  protected abstract releaseOnce(permits: number): ReleaseOrTell;
  /** Closes the front line. Returns whether it was open. The walk then closes the lines behind it. */
  protected abstract closeFront(): boolean;
  /** Names the calls that acquire several permits, for messages. */
  protected abstract instead(permits: number): string;

  /**
   * Acquires one permit, blocking until one is available.
   *
   * @throws {RangeError} If `permits` is out of range.
   * @throws {TypeError} If `permits` has the wrong type.
   * @throws {UnsupportedError} For several permits.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {DeadlockError} If this agent has an earlier async wait here, which could not settle while the agent is
   *   blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.refuseSeveral(permits);
    if (this.take(1) === 1) return;
    this.enter(Infinity);
  }

  /**
   * Acquires a permit if one becomes available within `timeoutMs` ms. Returns whether it acquired it.
   *
   * @throws The errors of `acquire`; `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    return this.tryEnter(permits, timeoutMs);
  }

  /**
   * Acquires a permit as `acquire` does, without blocking. Rejects with the errors of `acquire`, with `TimeoutError`
   * and with `signal.reason`. Then no permit was taken. A pending wait keeps the event loop alive, unless `ref` is
   * false.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.refuseSeveral(permits);
      const checked = checkWait(options);
      if (this.take(1) === 1) return this.context.budget.done();
      return this.enterAsync(checked);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /**
   * Releases `permits`, or adds new ones. Any agent may release. On a closed semaphore no waiter gets them.
   *
   * @throws {RangeError} If `permits` is out of range, or if there would be more than `max`. Then nothing was released.
   * @throws {MisuseError} If the semaphore was freed.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    let released: ReleaseOrTell;
    let tries = 0;
    do released = this.releaseOnce(permits);
    while (released === RACED && retryOrThrow(++tries, this));
    if (released <= 0) return this.finishRelease(released, permits);
    // One permit needs only one of the agents that wait for tokens.
    this.context.parking.notify(released + GATE, permits === 1 ? 1 : undefined);
    this.context.finishWalk();
  }

  /** Returns a snapshot: the agents that hold permits, the waiters and the start of each wait. */
  override inspect(): SemaphoreReport {
    this.checkThere();
    const { context } = this;
    const { address, tag } = this.ref;
    return {
      ...reportSemaphore(context, address, tag),
      ...merge(this.lines.map((line) => reportLine(context, line, tag))),
    };
  }

  /** Closes the semaphore: every waiter and every later caller gets `ClosedError`. Closing again has no effect. */
  override close(): void {
    this.checkThere();
    if (this.closeFront()) this.context.finishWalk();
  }

  /** Takes at most `most` permits, without waiting. */
  protected take(most: number): number {
    let taken: number;
    let tries = 0;
    do taken = this.takeOnce(most);
    while (
      // A dead agent's permits may wait for a recovery that only agents with this kind can finish.
      (taken === RACED && retryOrThrow(++tries, this)) ||
      (taken === 0 && finishPending(this.context))
    );
    if (taken === SHUT) throw this.shut();
    return taken;
  }

  protected tryEnter(permits: number, timeoutMs: number, priority = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (permits !== 1) this.refuseSeveral(permits);
    return this.take(1) === 1 || (timeoutMs !== 0 && this.enter(timeoutMs, priority));
  }

  /** Begins an async wait. If it throws, no wait has begun. */
  protected enterAsync(options: WaitOptions, priority = 0): Promise<void> {
    if (options.timeout === 0) return this.context.budget.refuse(new PermitErrors(this.errors, 1).timedOut(0, 0));
    this.checkThere();
    return this.await(options, priority);
  }

  protected override get waitedIn(): readonly LineRef[] {
    const { tag } = this.ref;
    return this.lines.map((address) => ({ address, tag }));
  }

  protected override drainOnce(): number {
    return this.takeOnce(MAX_PERMITS);
  }

  protected enter(timeoutMs: number, priority = 0): boolean {
    if (!mayBlock()) refuseToBlock();
    this.checkThere();
    const outcome = this.block(timeoutMs, priority);
    if (outcome === SHUT) throw this.shutInLine();
    return outcome === TAKEN;
  }

  protected refuseSeveral(permits: number): void {
    this.checkPermits(permits);
    if (permits === 1) return;
    throw new UnsupportedError(
      `${this.toString()}: ${permits} permits at once cannot be waited for here: ${this.instead(permits)}. Nothing was taken.`,
    );
  }
}

/** Merges the lines into one report, the longest waiters first. */
function merge(lines: readonly LineReport[]): LineReport {
  return {
    waiters: lines.flatMap(({ waiters }) => waiters).sort((a, b) => a.since - b.since),
    abandoned: lines.reduce((sum, { abandoned }) => sum + abandoned, 0),
  };
}
