// The base of the semaphores with tickets (Listings 1 to 5): everything except how a blocking agent waits for its turn.
//
// Each member supplies a `WaitFor`. Its argument is a function that checks the ticket, and takes the permits when it is
// the ticket's turn. The `WaitFor` returns when the permits are taken or the time is up. Async waits are the same for
// all members: they sleep in a bucket's chain, and the same post wakes them.

import type { WaitOptions } from '@sluice/core';
import { FLAGS, MODE_ASYNC, MODE_BLOCKING, RACED, SHUT, TAKEN, WAITING, type Draw } from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS, refuseToBlock, rejected } from '@sluice/core/calls';
import { asCorrupt, finishPending, mayBlock, retryOrThrow, orCorrupt, PermitErrors } from '@sluice/core/internal';
import type { Capabilities } from '@sluice/semaphores';
import type { ReleaseOrTell } from '@sluice/semaphores/kernel';
import { FLAG_CONSERVATIVE } from './kernel/layout.ts';
import { FamilyLine } from './family-line.ts';
import type { TicketWaits, WaitFor } from './ticket-waits.ts';
import { MemberSemaphore, type Membership } from './create-and-open.ts';

export abstract class TicketedSemaphore extends MemberSemaphore {
  readonly #line: TicketWaits;
  readonly #isConservative: boolean;
  readonly #capabilities: Capabilities;

  /** `capabilities`: those with the default options. */
  protected constructor(membership: Membership, className: string, waitFor: WaitFor, capabilities: Capabilities) {
    super(membership, className);
    const { context, policy, ref } = this;
    this.#isConservative = (context.words.get32(ref.address + FLAGS) & FLAG_CONSERVATIVE) !== 0;
    this.#capabilities = this.#isConservative ? { ...capabilities, bounded: false } : capabilities;
    this.#line = new FamilyLine({ context, policy, line: ref.address }, this.lineState, waitFor);
  }

  /** The capabilities of this instance, with its options. */
  override get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /**
   * Acquires `permits`, blocking until they are available.
   *
   * @throws {RangeError} If `permits` is out of range.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {DeadlockError} If this agent has an earlier async wait here, which could not settle while the agent is
   *   blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { address, tag } = this.ref;
    if (!mayBlock()) refuseToBlock();
    let drawn: Draw;
    try {
      drawn = this.kernel.acquireTicket(address, tag, this.lineState.entry, permits, this.context.agent);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (drawn !== TAKEN)
      this.#block(
        drawn === SHUT ? SHUT : this.context.begin(drawn, this.lineState.entry, MODE_BLOCKING, this.lineState.line),
        Infinity,
      );
  }

  /**
   * Acquires `permits` if they become available within `timeoutMs` ms. With 0 it does not wait, and takes only permits
   * that no queued waiter is due. Returns whether it acquired them.
   *
   * @throws The errors of `acquire`; `DeadlockError` only if `timeoutMs` is `Infinity`.
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
   * Acquires `permits` without blocking. The promise resolves when they are acquired. Rejects with `RangeError` or
   * `TypeError` for a wrong argument, with `TimeoutError`, `signal.reason`, `ClosedError` or `ArenaFullError`. Then no
   * permit was taken. A pending wait keeps the event loop alive, unless `ref` is false.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = checkWait(options);
      if (this.#tryAtOnce(permits)) return this.context.budget.done();
      if (checked.timeout === 0)
        return this.context.budget.refuse(new PermitErrors(this.errors, permits).timedOut(0, 0));
      return this.#await(permits, checked);
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
    do released = this.#releaseOnce(permits);
    while (released === RACED && retryOrThrow(++tries, this));
    this.finishRelease(released, permits);
  }

  #releaseOnce(permits: number): ReleaseOrTell {
    const { address, tag } = this.ref;
    const { kernel } = this;
    const { entry } = this.lineState;
    try {
      return this.#isConservative
        ? kernel.releaseBlindly(address, tag, this.context.agent, entry, permits)
        : kernel.releaseTickets(address, tag, this.context.agent, entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  #tryAtOnce(permits: number): boolean {
    const { address, tag } = this.ref;
    let taken: number;
    let tries = 0;
    do taken = this.context.kernel.tryAcquire(address, tag, this.lineState.entry, permits);
    while (
      // A dead agent's permits may wait for a recovery that only agents with this kind can finish.
      (taken === RACED && retryOrThrow(++tries, this)) ||
      (taken === WAITING && finishPending(this.context))
    );
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }

  #draw(permits: number, mode: number): Draw {
    const { address, tag } = this.ref;
    // Before the ticket: a wait that can end at any time needs an element that it can leave behind.
    this.context.refill(mode);
    let drawn: Draw;
    try {
      drawn = this.kernel.acquireTicket(address, tag, this.lineState.entry, permits, this.context.agent);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    return drawn === TAKEN || drawn === SHUT
      ? drawn
      : this.context.begin(drawn, this.lineState.entry, mode, this.lineState.line);
  }

  /** Waits with a ticket. Returns whether the ticket was admitted in time. */
  #block(element: Draw, timeoutMs: number): boolean {
    if (element === SHUT) throw this.shut();
    const outcome = orCorrupt(() => this.#line.block(element, timeoutMs, this.errors), this);
    if (outcome === SHUT) throw this.shutInLine();
    return outcome === TAKEN;
  }

  async #await(permits: number, options: WaitOptions): Promise<void> {
    let drawn = SHUT;
    const wanted = new PermitErrors(this.errors, permits);
    const outcome = await this.#line.await(() => (drawn = this.#draw(permits, MODE_ASYNC)), options, wanted);
    if (outcome === SHUT) throw drawn === SHUT ? this.shut() : this.shutInLine();
  }
}
