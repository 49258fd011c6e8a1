// The write lock of a read-write lock with upgradeable readers. A writer gets the seat (seat.ts) before it waits for
// readers to leave.

import { MisuseError, OwnedLock, type WaitOptions } from '@sluice/core';
import { checkTimeout, checkWait, deadlineIn, leftUntil, LOCK_LINE, TAKEN, type LockLine } from '@sluice/core/internal';
import type { BoxOffice } from './box-office.ts';
import { optionsLeft, type Seat } from './seat.ts';
import { WriterLock } from './writer.ts';

export class SeatedWriterLock extends WriterLock {
  readonly #office: BoxOffice;
  readonly #seat: Seat;

  constructor(office: BoxOffice, seat: Seat) {
    super(office);
    this.#office = office;
    this.#seat = seat;
  }

  // The fast paths of the base class do not take the seat.
  override lock(): void {
    OwnedLock.prototype.lock.call(this);
  }

  override unlock(): void {
    OwnedLock.prototype.unlock.call(this);
  }

  /** No condition: a notified waiter would move to the writers' line without the seat. */
  override get [LOCK_LINE](): LockLine {
    throw new MisuseError(
      `${this.toString()} has upgradeable readers: its writer can have no condition. Use a lock created without upgradeable.`,
    );
  }

  /** Waits for the readers to leave. The agent already holds the seat. */
  enterSeated(timeoutMs: number): boolean {
    return super.tryEnter(timeoutMs);
  }

  enterSeatedAsync(options: WaitOptions): Promise<void> {
    return super.enterAsync(options);
  }

  protected override enter(): void {
    this.tryEnter(Infinity);
  }

  protected override tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { place, reads } = this.#office;
    if (timeoutMs === Infinity && (this.#seat.isOurs || reads > 0)) {
      throw new MisuseError(
        `${this.toString()} is held for reading by this agent already, so the call would never return. It was not locked: ${this.#seat.isOurs ? 'use upgradeable.upgrade' : 'unlock the reader first'}.`,
      );
    }
    const { parking } = place.context;
    const deadline = deadlineIn(parking, timeoutMs);
    const outcome = this.#seat.enter(timeoutMs, this.#office.asyncWaits);
    this.#office.check(outcome, 'writers');
    if (outcome !== TAKEN) return false;
    return this.#orLeave(() => super.tryEnter(leftUntil(parking, deadline)));
  }

  protected override async enterAsync(options: WaitOptions = {}, entered?: () => void): Promise<void> {
    const { place } = this.#office;
    const checked = checkWait(options);
    const deadline = deadlineIn(place.context.parking, checked.timeout ?? Infinity);
    this.#office.check(await this.#seat.enterAsync(checked), 'writers');
    try {
      await super.enterAsync(optionsLeft(place, checked, deadline), entered, checked.timeout);
    } catch (failure) {
      this.#seat.leave();
      throw failure;
    }
  }

  protected override exit(): void {
    super.exit();
    this.#seat.leave();
  }

  /** Gives the seat back unless the agent entered the write lock. */
  #orLeave(enter: () => boolean): boolean {
    let isIn = false;
    try {
      isIn = enter();
    } finally {
      if (!isIn) this.#seat.leave();
    }
    return isIn;
  }
}
