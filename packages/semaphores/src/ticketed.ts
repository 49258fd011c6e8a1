// What the semaphores with tickets share (Listings 1 to 5): everything but the way in which a blocking agent waits for its turn.
//
// A member says how it waits: `waitFor` is given a look at the ticket, which takes the permits when it is the ticket's turn, and comes
// back when that was so or the time is up. Async waits are the same for all: in the chain of a bucket, woken by the same post.
//
// No lost wake-up, this end: every `waitFor` makes itself known and then looks again. The other end is the post, which raises `grant`
// and then tells those who wait (kernel, family.ts).

import type { WaitOptions } from '@sluice/core';
import { awaitAtBucket } from '@sluice/address-wait/internal';
import {
  AT,
  checkTimeout,
  checkWait,
  COUNT,
  deadlock,
  endOfWait,
  leaveLine,
  LONGEST_MS,
  mayBlock,
  MODE_ASYNC,
  MODE_BLOCKING,
  RACED,
  refuseToBlock,
  rejected,
  setRef,
  SHUT,
  TAKEN,
  timedOut,
  WAITING,
  type Standing,
} from '@sluice/core/internal';
import { FamilySemaphore } from './member.ts';

/** A ticket that was drawn. */
export interface Ticket {
  /** Looks whether the wait is over, and takes the permits; after it said so it must not be asked again. */
  readonly look: () => boolean;
  /** The key of the post that admits it: its number, or that of its last permit. */
  readonly key: number;
  /** How many posts are missing until it is admitted. */
  readonly distance: () => number;
}

export abstract class TicketedSemaphore extends FamilySemaphore {
  /** Blocks until `look` says that the wait is over, or until `deadline`, a time of the seat's clock. */
  protected abstract waitFor(ticket: Ticket, deadline: number): void;

  /** The bucket in which async waits with that key are woken. */
  protected asyncBucket(key: number): number {
    return this.seat.kernel.bucketAt(this.place.address, key);
  }

  /**
   * Takes `permits`, blocking until they are there. Throws `RangeError`, `ClosedError`, `MisuseError` (a browser's main thread),
   * `DeadlockError` (behind an async wait of this same agent), `ArenaFullError`.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { address, tag } = this.place;
    if (!mayBlock()) refuseToBlock();
    const drawn = this.seat.kernel.acquire(address, tag, this.standing.entry, permits, this.seat.agent);
    if (drawn !== TAKEN) this.#block(drawn === SHUT ? SHUT : this.seat.begin(drawn, this.standing.entry, MODE_BLOCKING), Infinity);
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
  override acquireAsync(permits = 1, options: WaitOptions = {}): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = checkWait(options);
      if (this.#tryAtOnce(permits)) return Promise.resolve();
      if (checked.timeout === 0) return rejected(timedOut(`${permits} permit(s)`, 0));
      return this.#await(this.#draw(permits, MODE_ASYNC), permits, checked);
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
    do released = this.releaseOnce(permits);
    while (released === RACED);
    this.finishRelease(released, permits);
  }

  protected releaseOnce(permits: number): number {
    const { address, tag } = this.place;
    return this.seat.kernel.release(address, tag, this.seat.agent, this.standing.entry, permits);
  }

  #tryAtOnce(permits: number): boolean {
    const { address, tag } = this.place;
    let taken: number;
    do taken = this.seat.kernel.tryAcquire(address, tag, this.standing.entry, permits);
    while (taken === RACED);
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }

  #draw(permits: number, mode: number): number {
    const { address, tag } = this.place;
    // Before the ticket: a wait that can end at any time needs an element that it can leave behind.
    this.seat.refill();
    const drawn = this.seat.kernel.acquire(address, tag, this.standing.entry, permits, this.seat.agent);
    return drawn === TAKEN || drawn === SHUT ? drawn : this.seat.begin(drawn, this.standing.entry, mode);
  }

  /** Whether a ticket was admitted in time. */
  #block(element: number, timeoutMs: number): boolean {
    if (element === TAKEN) return true;
    if (element === SHUT) throw this.shut();
    const before = this.standing.asyncWaits.size;
    const stuck = timeoutMs === Infinity && before > 0;
    const ticket = this.#ticketOf(element);
    const failure = stuck ? deadlock(before) : this.#waitFor(ticket, timeoutMs);
    const outcome = this.#end(element, ticket.verdict());
    if (outcome === SHUT) throw this.shut();
    if (failure !== undefined && outcome !== TAKEN) throw failure;
    return outcome === TAKEN;
  }

  /** What it failed with, if it did: no element may be left to wait with. The ticket is in line still. */
  #waitFor(ticket: Ticket, timeoutMs: number): Error | undefined {
    try {
      this.waitFor(ticket, timeoutMs === Infinity ? Infinity : this.seat.parking.now() + timeoutMs);
      return undefined;
    } catch (failure) {
      return failure as Error;
    }
  }

  #ticketOf(element: number): Ticket & { readonly verdict: () => number } {
    const { kernel } = this.seat;
    const { entry } = this.standing;
    let seen = WAITING;
    return {
      key: this.#keyOf(element),
      look: () => {
        if (seen === WAITING) seen = kernel.poll(element, entry);
        return seen !== WAITING;
      },
      distance: () => kernel.distance(element),
      verdict: () => seen,
    };
  }

  #keyOf(element: number): number {
    const { words } = this.seat;
    return Number(BigInt.asIntN(32, words.get64(element + AT))) + words.get32(element + COUNT) - 1;
  }

  /** A wait that is over, or given up with WAITING: TAKEN, SHUT, or WAITING. */
  #end(element: number, verdict: number): number {
    const { seat, standing } = this;
    return endOfWait(seat, standing, element, verdict === WAITING ? leaveLine(seat, element, standing.entry) : verdict);
  }

  /** Resolves in the order of the tickets, whichever of the agent's async waits is woken first. */
  async #await(element: number, permits: number, options: WaitOptions): Promise<void> {
    if (element === TAKEN) return;
    if (element === SHUT) throw this.shut();
    const { seat, standing, policy } = this;
    const bucket = this.asyncBucket(this.#keyOf(element));
    const { outcome, reason } = await new Promise<{ readonly outcome: number; readonly reason?: unknown }>((resolve) => {
      const { timeout = Infinity, signal, ref } = options;
      const { asyncWaits, entry } = standing;
      const wait = { settle: (): boolean => end(seat.kernel.poll(element, entry)) };
      const woken = new AbortController();
      const abort = (): void => giveUp(signal?.reason);
      const timer = timeout > LONGEST_MS ? undefined : setTimeout(() => giveUp(timedOut(`${permits} permit(s)`, timeout)), timeout);
      if (timer !== undefined && ref === false) setRef(timer, false);
      signal?.addEventListener('abort', abort);
      asyncWaits.add(wait);
      awaitAtBucket({ seat, bucket, policy }, isOver, { ref, signal: woken.signal }, 'a turn').catch(giveUp);

      function isOver(): boolean {
        settleAll(standing);
        return !asyncWaits.has(wait);
      }

      function giveUp(reason: unknown): void {
        if (isOver()) return;
        finish();
        resolve({ outcome: endOfWait(seat, standing, element, leaveLine(seat, element, entry)), reason });
        settleAll(standing);
      }

      function end(verdict: number): boolean {
        if (verdict === WAITING) return false;
        finish();
        resolve({ outcome: endOfWait(seat, standing, element, verdict) });
        return true;
      }

      function finish(): void {
        asyncWaits.delete(wait);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        // It may be another's look that ended this wait.
        woken.abort();
      }
    });
    if (outcome === SHUT) throw this.shut();
    // An abort's reason passes untouched, also one that is no Error.
    if (outcome !== TAKEN) return rejected(reason);
  }
}

function settleAll({ asyncWaits }: Standing): void {
  for (const wait of asyncWaits) if (!wait.settle()) return;
}
