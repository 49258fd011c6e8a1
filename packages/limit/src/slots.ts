// The slots that calls run in: permits of a semaphore, so all agents stand in its one line, and a dead agent's slots come back.

import { MisuseError, type Semaphore, type WaitOptions } from '@sluice/core';
import { CAPACITY, checkNotFreed, seatOf, type Place, type Seat } from '@sluice/core/internal';
import type { LimitHandle } from './handle.ts';

/** Slots of a semaphore that somebody else made: there are as many as it has permits. */
export class Slots {
  readonly semaphore: Semaphore;
  protected readonly seat: Seat;
  protected readonly standing: ReturnType<Seat['standing']>;
  readonly #place: Place;

  /** Throws `MisuseError` when the semaphore was freed. */
  constructor(semaphore: Semaphore) {
    const { arena, handle: { address, tag } } = semaphore;
    this.semaphore = semaphore;
    this.seat = seatOf(arena);
    this.#place = { arena, seat: this.seat, address, tag };
    this.checkThere();
    // The semaphore has opened it: only looked up here.
    this.standing = this.seat.standing(address, tag, true);
  }

  get handle(): LimitHandle {
    return Object.freeze({ kind: 'sluice.limit', slots: this.semaphore.handle });
  }

  get size(): number {
    this.checkThere();
    return Number(this.seat.words.load64(this.#place.address + CAPACITY));
  }

  resize(_size: number): void {
    throw new MisuseError('The concurrency of a limit over a given semaphore is the number of its permits: it cannot be set.');
  }

  /** A slot if one is free and nobody waits for it. Throws as `Semaphore.tryAcquire`. */
  tryTake(): boolean {
    return this.semaphore.tryAcquire();
  }

  /** Stands in line; throws and rejects as `Semaphore.acquireAsync`. */
  take(options: WaitOptions): Promise<void> {
    return this.semaphore.acquireAsync(1, options);
  }

  giveBack(): void {
    this.semaphore.release();
    this.settleOwn();
  }

  free(): void {
    throw new MisuseError('A limit over a given semaphore has nothing of its own: free the semaphore.');
  }

  /** Lets this agent's calls go on whose turn it is, without a round through the event loop. */
  protected settleOwn(): void {
    for (const wait of this.standing.asyncWaits) if (!wait.settle()) return;
  }

  /** Throws when it was freed. */
  protected checkThere(): void {
    checkNotFreed(this.#place, 'The limit');
  }
}
