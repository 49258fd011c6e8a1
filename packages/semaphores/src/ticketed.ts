// What the semaphores with tickets share (Listings 1 to 5): everything except how a blocking agent waits for its turn.
//
// Each member supplies a `WaitFor`. It gets a function that checks the ticket and takes the permits when it is the
// ticket's turn, and returns once that has happened or the time is up. Async waits are the same for all: in a bucket's
// chain, woken by the same post.

import type { WaitOptions } from '@sluice/core';
import {
  asCorrupt,
  checkTimeout,
  checkWait,
  finishPending,
  mayBlock,
  mayRetry,
  orCorrupt,
  MODE_ASYNC,
  MODE_BLOCKING,
  PermitsWanted,
  RACED,
  refuseToBlock,
  rejected,
  SHUT,
  TAKEN,
  WAITING,
  type Draw,
} from '@sluice/core/internal';
import { FamilyLine, type Line, type WaitFor } from './line.ts';
import { FamilySemaphore, type Membership } from './member.ts';
import type { ReleaseOrTell } from './kernel/release.ts';

const NO_OPTIONS: WaitOptions = {};

export abstract class TicketedSemaphore extends FamilySemaphore {
  readonly #line: Line;

  protected constructor(membership: Membership, className: string, waitFor: WaitFor) {
    super(membership, className);
    const { context, policy, place } = this;
    this.#line = new FamilyLine({ context, policy, sem: place.address }, this.localState, waitFor);
  }

  /**
   * Acquires `permits`, blocking until they are available. Throws `RangeError`, `ClosedError`, `MisuseError` (a
   * browser's main thread), `DeadlockError` (this agent has an earlier async wait here), `ArenaFullError`.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { address, tag } = this.place;
    if (!mayBlock()) refuseToBlock();
    let drawn: Draw;
    try {
      drawn = this.kernel.acquireTicket(address, tag, this.localState.entry, permits, this.context.agent);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (drawn !== TAKEN)
      this.#block(
        drawn === SHUT ? SHUT : this.context.begin(drawn, this.localState.entry, MODE_BLOCKING, this.localState.line),
        Infinity,
      );
  }

  /**
   * Waits at most `timeoutMs` ms for `permits`. With 0 it does not wait, and takes only permits that no queued waiter
   * is due. Returns whether it acquired them. Throws as `acquire`; `DeadlockError` only with `Infinity`.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const taken = this.#tryAtOnce(permits);
    if (taken || timeoutMs === 0) return taken;
    if (!mayBlock()) refuseToBlock();
    return this.#block(this.#draw(permits, MODE_BLOCKING), timeoutMs);
  }

  /**
   * Resolves when `permits` are acquired, without blocking the agent. Rejects with `RangeError` or `TypeError` for an
   * argument, `TimeoutError`, `signal.reason`, `ClosedError`, `ArenaFullError`; then no permit was taken. While it
   * waits it keeps the event loop alive, unless `ref` is false.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = options === NO_OPTIONS ? options : checkWait(options);
      if (this.#tryAtOnce(permits)) return this.context.budget.done();
      if (checked.timeout === 0)
        return this.context.budget.refuse(new PermitsWanted(this.account, permits).timedOut(0, 0));
      return this.#await(permits, checked);
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
    this.finishRelease(released, permits);
  }

  protected releaseOnce(permits: number): ReleaseOrTell {
    const { address, tag } = this.place;
    try {
      return this.kernel.releaseTickets(address, tag, this.context.agent, this.localState.entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  #tryAtOnce(permits: number): boolean {
    const { address, tag } = this.place;
    let taken: number;
    let tries = 0;
    do taken = this.context.kernel.tryAcquire(address, tag, this.localState.entry, permits);
    while (
      // Permits may wait for the recovery of a dead agent that was left to agents with this kind.
      (taken === RACED && mayRetry(++tries, this)) ||
      (taken === WAITING && finishPending(this.context))
    );
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }

  #draw(permits: number, mode: number): Draw {
    const { address, tag } = this.place;
    // Before the ticket: a wait that can end at any time needs an element that it can leave behind.
    this.context.refill(mode);
    let drawn: Draw;
    try {
      drawn = this.kernel.acquireTicket(address, tag, this.localState.entry, permits, this.context.agent);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    return drawn === TAKEN || drawn === SHUT
      ? drawn
      : this.context.begin(drawn, this.localState.entry, mode, this.localState.line);
  }

  /** Returns whether the ticket was admitted in time. */
  #block(element: Draw, timeoutMs: number): boolean {
    if (element === SHUT) throw this.shut();
    const outcome = orCorrupt(() => this.#line.block(element, timeoutMs, this.account), this);
    if (outcome === SHUT) throw this.shutInLine();
    return outcome === TAKEN;
  }

  async #await(permits: number, options: WaitOptions): Promise<void> {
    let drawn = SHUT;
    const wanted = new PermitsWanted(this.account, permits);
    const outcome = await this.#line.await(() => (drawn = this.#draw(permits, MODE_ASYNC)), options, wanted);
    if (outcome === SHUT) throw drawn === SHUT ? this.shut() : this.shutInLine();
  }
}
