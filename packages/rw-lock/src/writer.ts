// The side of a read-write lock that one holds alone.

import { MisuseError, OwnedLock, type WaitOptions } from '@sluice/core';
import { checkTimeout, checkWait, LockHealth, mayBlock, RACED, refuseToBlock, TAKEN } from '@sluice/core/internal';
import type { BoxOffice } from './box-office.ts';

const NO_OPTIONS: WaitOptions = {};

/**
 * Held by one agent alone, no reader beside it. An owned lock: when the agent that writes dies and is reclaimed, the next
 * writer gets it with `OwnerDiedError` (see `OwnedLock`).
 */
export class WriterLock extends OwnedLock {
  protected override readonly health: LockHealth;
  readonly #office: BoxOffice;

  constructor(office: BoxOffice) {
    super();
    this.#office = office;
    this.health = new LockHealth(office.place.seat.words, office.place.address);
  }

  /** Whether this agent holds it. */
  get owned(): boolean {
    return this.isOwner();
  }

  protected override isOwner(): boolean {
    return this.#office.writes;
  }

  protected override enter(): void {
    if (!mayBlock()) refuseToBlock();
    this.#enterWithin(Infinity);
  }

  protected override tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#enterWithin(timeoutMs);
  }

  protected override async enterAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    this.#office.check(await this.#office.writers.enterAsync(checked), 'writers');
  }

  protected override exit(): void {
    const { kernel, place, writers } = this.#office;
    let left: number;
    do left = kernel.unlockWriter(place.address, place.tag, place.seat.agent, writers.entry);
    while (left === RACED);
    writers.wake(left);
  }

  #enterWithin(timeoutMs: number): boolean {
    const { kernel, place, readers, writers, reads } = this.#office;
    if (kernel.lockWriter(place.address, place.tag, writers.entry) === TAKEN) return true;
    if (timeoutMs === Infinity && reads > 0) {
      throw new MisuseError('This agent holds the read lock and would wait for itself. Nothing was taken: unlock it first.');
    }
    const outcome = writers.enter(timeoutMs, readers.asyncWaits);
    this.#office.check(outcome, 'writers');
    return outcome === TAKEN;
  }
}
