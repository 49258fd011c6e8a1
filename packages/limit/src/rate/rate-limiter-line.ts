// The line of a rate limiter's waiters, from two semaphores. The line has one permit, whose owner is the head. The
// alarm has no permits: the head sleeps at it until its permits are available.
//
// Only the head reads the bucket and sets a timer. It keeps its place until it has its permits or gives up. So callers
// are served in FIFO order, whatever number of permits each wants. If the head dies, its recovery releases the permit
// of the line, and the next waiter becomes the head.
//
// Lost wake-up: the head enters the line before its first attempt reads the bucket. An agent that returns permits
// writes the bucket, then looks for a head and releases a permit of the alarm (`hurry`). A permit that comes before the
// head sleeps stays at the alarm, so the sleep ends at once.

import { hasCode, type Semaphore, type WaitOptions } from '@sluice/core';
import { offAbort, onAbort, refuseToBlock, throwIfAborted } from '@sluice/core/calls';
import { acquireFor, mayBlock, perLineState, type PrimitiveErrors, type BlockRef } from '@sluice/core/internal';
import { HeadOfLine, type HeadAlarm } from '../line/head-of-line.ts';
import { TICKS_PER_MS } from './time.ts';

/**
 * An attempt of the head. Returns 0 if it succeeded, or the number of ticks until it can succeed. Throws if the limiter
 * was closed.
 */
export type RateAttempt = () => number;

/** The number of an agent's async calls that are in line or at its head. All objects of the agent share it. */
interface Calls {
  async: number;
}

const callsAt: (ref: BlockRef) => Calls = perLineState(() => ({ async: 0 }));

export class RateLimiterLine {
  readonly #line: Semaphore;
  readonly #alarm: HeadAlarm;
  readonly #ref: BlockRef;
  readonly #errors: PrimitiveErrors;
  readonly #calls: Calls;
  readonly #head: HeadOfLine;

  constructor(line: Semaphore, alarm: HeadAlarm, ref: BlockRef, errors: PrimitiveErrors) {
    this.#line = line;
    this.#alarm = alarm;
    this.#ref = ref;
    this.#errors = errors;
    this.#calls = callsAt(ref);
    this.#head = new HeadOfLine(alarm, ref, errors);
  }

  /**
   * Waits in line, then makes attempts until one succeeds. Returns whether that happened within `timeoutMs`. Blocks the
   * thread.
   */
  block(attempt: RateAttempt, timeoutMs: number): boolean {
    if (!mayBlock()) refuseToBlock();
    const { parking } = this.#ref.context;
    const deadline = parking.now() + timeoutMs;
    if (timeoutMs === Infinity) this.#checkAhead();
    if (!this.#enter(timeoutMs)) return false;
    try {
      return this.#head.block(() => attempt() / TICKS_PER_MS, deadline);
    } finally {
      this.#line.release();
    }
  }

  /**
   * Waits as `block` does, without blocking the thread. After the successful attempt it leaves the line, calls `act` in
   * the same job, and resolves with its result. Rejects with `TimeoutError` if the attempt would be late. The caller
   * has checked `options`.
   */
  async wait<T>(attempt: RateAttempt, options: WaitOptions, act: () => T): Promise<T> {
    const { signal, ref, timeout = Infinity } = options;
    const { parking } = this.#ref.context;
    const deadline = parking.now() + timeout;
    // Counted before the call is at the head: an async call that was granted the line, but has not continued yet,
    // blocks the line, too.
    this.#calls.async += 1;
    try {
      // Takes a free line at once, so that a later abort finds the call at the head.
      if (!this.#enter(0)) await acquireFor(this.#line, options, this.#errors);
    } catch (failure) {
      this.#calls.async -= 1;
      throw failure;
    }
    const leave = this.#leaver();
    let result!: T;
    const attemptOnce = (): number => {
      const ms = attempt() / TICKS_PER_MS;
      if (ms > 0) return ms;
      offAbort(signal, leave);
      leave();
      result = act();
      return 0;
    };
    let isDone: boolean;
    try {
      // Leaves within the abort, because the limiter may be freed right after it.
      onAbort(signal, leave);
      isDone = await this.#head.lead(attemptOnce, { check: () => throwIfAborted(signal), signal, ref, deadline });
    } finally {
      offAbort(signal, leave);
      leave();
    }
    // Created after the line was released, so that the message names only the agents before this one.
    if (!isDone) throw this.#errors.timedOut(timeout, 0);
    const later = this.#ref.context.budget.spend();
    // Waits for both at once: a promise that `act` returned may reject before the event loop turns.
    if (later !== undefined) await Promise.all([result, later]);
    return result;
  }

  /**
   * Wakes the head, if there is one, because its permits may be available earlier. `isOccupied`: whether the line has a
   * waiter.
   */
  hurry(isOccupied: boolean): void {
    // One permit is enough. If there is no head, the permit causes one spurious wake-up of the next head.
    if (isOccupied && this.#alarm.available === 0) this.#alarm.release();
  }

  close(): void {
    this.#line.close();
    this.#alarm.close();
  }

  /** Returns a function that makes an async call leave the head of the line. Only its first call has an effect. */
  #leaver(): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#calls.async -= 1;
      this.#line.release();
    };
  }

  /** Refuses to block behind an async call of this agent: that call could not continue while the agent is blocked. */
  #checkAhead(): void {
    const { async: ahead } = this.#calls;
    if (ahead > 0) throw this.#errors.deadlock(ahead);
  }

  #enter(timeoutMs: number): boolean {
    try {
      return this.#line.tryAcquire(1, timeoutMs);
    } catch (failure) {
      throw hasCode(failure, 'SLUICE_CLOSED') ? this.#errors.closed() : failure;
    }
  }
}
