// What the semaphores with tickets share (Listings 1 to 5): everything but the way in which a blocking agent waits for its turn.
//
// A member says how it waits: a `WaitFor` is given a look at the ticket, which takes the permits when it is the ticket's turn, and comes
// back when that was so or the time is up. Async waits are the same for all: in the chain of a bucket, woken by the same post.

import type { WaitOptions } from '@sluice/core';
import {
  asCorrupt,
  checkTimeout,
  checkWait,
  mayBlock,
  mayRetry,
  MODE_ASYNC,
  MODE_BLOCKING,
  PermitsWanted,
  RACED,
  refuseToBlock,
  rejected,
  SHUT,
  TAKEN,
} from '@sluice/core/internal';
import { FamilyLine, type Line, type WaitFor } from './line.ts';
import { FamilySemaphore, type Membership } from './member.ts';

const NO_OPTIONS: WaitOptions = {};

export abstract class TicketedSemaphore extends FamilySemaphore {
  readonly #line: Line;

  protected constructor(membership: Membership, className: string, waitFor: WaitFor) {
    super(membership, className);
    const { context, policy, place } = this;
    this.#line = new FamilyLine({ context, policy, sem: place.address }, this.localState, waitFor);
  }

  /**
   * Takes `permits`, blocking until they are there. Throws `RangeError`, `ClosedError`, `MisuseError` (a browser's main thread),
   * `DeadlockError` (behind an async wait of this same agent), `ArenaFullError`.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { address, tag } = this.place;
    if (!mayBlock()) refuseToBlock();
    let drawn: number;
    try {
      drawn = this.context.kernel.acquire(address, tag, this.localState.entry, permits, this.context.agent);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (drawn !== TAKEN) this.#block(drawn === SHUT ? SHUT : this.context.begin(drawn, this.localState.entry, MODE_BLOCKING), Infinity);
  }

  /**
   * Takes `permits` if that is possible within `timeoutMs` ms: with 0 without waiting, and only what nobody in line waits for. Whether
   * it did. Throws as `acquire`; `DeadlockError` only without an end (`Infinity`).
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
   * Resolves when `permits` are taken; the agent goes on meanwhile. Rejects with `RangeError` or `TypeError` for an argument,
   * `TimeoutError`, `signal.reason`, `ClosedError`, `ArenaFullError`; then nothing was taken. While it waits it keeps the event loop
   * alive, unless `ref` is false.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = options === NO_OPTIONS ? options : checkWait(options);
      if (this.#tryAtOnce(permits)) return Promise.resolve();
      if (checked.timeout === 0) return rejected(new PermitsWanted(this.account, permits).timedOut(0, 0));
      return this.#await(permits, checked);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /**
   * Gives `permits` back, or adds new ones; any agent may. Throws `RangeError` (also beyond `max`, and then nothing was released),
   * `MisuseError` (freed). Of a closed semaphore nobody gets them.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    let released: number;
    let tries = 0;
    do released = this.releaseOnce(permits);
    while (released === RACED && mayRetry(++tries));
    this.finishRelease(released, permits);
  }

  protected releaseOnce(permits: number): number {
    const { address, tag } = this.place;
    try {
      return this.context.kernel.release(address, tag, this.context.agent, this.localState.entry, permits);
    } catch (failure) {
      throw asCorrupt(failure);
    }
  }

  #tryAtOnce(permits: number): boolean {
    const { address, tag } = this.place;
    let taken: number;
    let tries = 0;
    do taken = this.context.kernel.tryAcquire(address, tag, this.localState.entry, permits);
    while (taken === RACED && mayRetry(++tries));
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }

  #draw(permits: number, mode: number): number {
    const { address, tag } = this.place;
    // Before the ticket: a wait that can end at any time needs an element that it can leave behind.
    this.context.refill();
    let drawn: number;
    try {
      drawn = this.context.kernel.acquire(address, tag, this.localState.entry, permits, this.context.agent);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    return drawn === TAKEN || drawn === SHUT ? drawn : this.context.begin(drawn, this.localState.entry, mode);
  }

  /** Whether a ticket was admitted in time. */
  #block(element: number, timeoutMs: number): boolean {
    if (element === SHUT) throw this.shut();
    const outcome = this.#line.block(element, timeoutMs, this.account);
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
