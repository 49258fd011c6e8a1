// A semaphore made of several lines: the front line with the name, the permits and their holders, and the inner lines
// in which agents wait.

import { UnsupportedError, type SemaphoreReport, type WaitOptions } from '@sluice/core';
import type { Line, LineReport, Poll } from '@sluice/core/internal';
import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  checkTimeout,
  checkWait,
  finishPending,
  FLAG_OWN_CHAIN,
  FLAGS,
  GATE,
  MAX_PERMITS,
  mayBlock,
  mayRetry,
  PermitsWanted,
  RACED,
  refuseToBlock,
  rejected,
  reportLine,
  reportSemaphore,
  SHUT,
  TAKEN,
  type AgentContext,
} from '@sluice/core/internal';
import { FLAG_ARRAY, FLAG_INNER, FLAG_LEVEL, FRONT, THRESHOLD } from './kernel/layout.ts';
import { SEMAPHORES } from './kinds.ts';
import { FamilySemaphore } from './member.ts';
import type { ReleaseOrTell } from './kernel/release.ts';

/**
 * Writes one of the inner lines of `front`, before any agent can find it, and returns its address. `flags`: its scheme
 * and its purpose.
 */
export function writeLine({ words }: AgentContext, front: number, tag: number, index: number, flags: number): number {
  const line = front + (1 + index) * BLOCK_LINE;
  words.put32(line + BLOCK_TAG, tag);
  words.put32(line + BLOCK_KIND, SEMAPHORES.code);
  // The waiters of core's semaphore behind a box office wait as at any semaphore. A lane has strays, which only this
  // kind visits.
  const isOfCore = flags === FLAG_INNER || (flags & FLAG_LEVEL) !== 0;
  words.put32(line + FLAGS, isOfCore ? flags : flags | FLAG_OWN_CHAIN);
  words.put32(line + FRONT, front);
  // The default of a waiting array; in other lines this word counts sleepers.
  if ((flags & FLAG_ARRAY) !== 0) words.put32(line + THRESHOLD, 1);
  return line;
}

const NO_OPTIONS: WaitOptions = {};

export abstract class CompositeSemaphore extends FamilySemaphore {
  /** Without waiting: how many permits it took, at most `most`; or RACED, SHUT. */
  protected abstract takeOnce(most: number): number;
  /** Waits for one permit. TAKEN, SHUT, or WAITING when the time ran out. `priority`: only where waiters have one. */
  protected abstract block(timeoutMs: number, priority: number): Poll;
  /** As `block`, without blocking. Rejects with what ended the wait, also if the semaphore was closed. */
  protected abstract await(options: WaitOptions, priority: number): Promise<void>;
  protected abstract releaseOnce(permits: number): ReleaseOrTell;
  /** Which calls acquire several permits instead, for messages. */
  protected abstract instead(permits: number): string;

  /**
   * Acquires one permit, blocking until there is one. Throws `ClosedError`, `MisuseError` (a browser's main thread),
   * `DeadlockError` (this agent has an earlier async wait here), `ArenaFullError`; `RangeError` and `TypeError` for an
   * argument; `UnsupportedError` for several permits.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.refuseSeveral(permits);
    if (this.take(1) === 1) return;
    this.enter(Infinity);
  }

  /**
   * As `acquire`, for at most `timeoutMs` ms. Returns whether it acquired the permit. Throws as `acquire`;
   * `DeadlockError` only with `Infinity`.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    return this.tryEnter(permits, timeoutMs);
  }

  /**
   * As `acquire`, without blocking. Rejects with what `acquire` throws, `TimeoutError` and `signal.reason`; then no
   * permit was taken. While it waits it keeps the event loop alive, unless `ref` is false.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.refuseSeveral(permits);
      const checked = options === NO_OPTIONS ? options : checkWait(options);
      if (this.take(1) === 1) return this.context.budget.done();
      return this.enterAsync(checked);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /**
   * Releases `permits`, or adds new ones; any agent may. Throws `RangeError` (also beyond `max`; then nothing was
   * released), `MisuseError` (freed). If the semaphore is closed, no waiter gets them.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    let released: ReleaseOrTell;
    let tries = 0;
    do released = this.releaseOnce(permits);
    while (released === RACED && mayRetry(++tries, this));
    if (released <= 0) return this.finishRelease(released, permits);
    // One permit needs only one of the agents that wait for tokens.
    this.context.parking.notify(released + GATE, permits === 1 ? 1 : undefined);
    this.context.finishWalk();
  }

  /** A snapshot: the agents that hold permits, the waiters and since when they wait. */
  override inspect(): SemaphoreReport {
    this.checkThere();
    const { context } = this;
    const { address, tag } = this.place;
    return {
      ...reportSemaphore(context, address, tag),
      ...merge(this.lines.map((line) => reportLine(context, line, tag))),
    };
  }

  /** Closes the semaphore: every waiter and every later caller gets `ClosedError`. Closing again has no effect. */
  override close(): void {
    this.checkThere();
    if (this.kernel.closeFront(this.context.agent, this.place.address, this.place.tag) === TAKEN)
      this.context.finishWalk();
  }

  /** Takes up to `most` permits, without waiting. */
  protected take(most: number): number {
    let taken: number;
    let tries = 0;
    do taken = this.takeOnce(most);
    while (
      // Permits may wait for the recovery of a dead agent that was left to agents with this kind.
      (taken === RACED && mayRetry(++tries, this)) ||
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

  /** Throws before the wait begins. */
  protected enterAsync(options: WaitOptions, priority = 0): Promise<void> {
    if (options.timeout === 0) return this.context.budget.refuse(new PermitsWanted(this.account, 1).timedOut(0, 0));
    this.checkThere();
    return this.await(options, priority);
  }

  protected override get waitedIn(): readonly Line[] {
    const { tag } = this.place;
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
