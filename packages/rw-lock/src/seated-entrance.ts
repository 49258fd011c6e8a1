// The way of a writer into a read-write lock with upgradeable readers. A writer gets the seat (seat.ts) before it waits
// for readers to leave.

import { MisuseError, type Entrance, type WaitOptions } from '@sluice/core';
import { TAKEN } from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS } from '@sluice/core/calls';
import { deadlineIn, leftUntil, type BlockRef, type PrimitiveErrors, type LockHealth } from '@sluice/core/internal';
import type { ReadWriteLines } from './read-write-lines.ts';
import { optionsLeft, type Seat } from './seat.ts';
import { WritersEntrance } from './writers-entrance.ts';

export class SeatedEntrance implements Entrance {
  readonly health: LockHealth;
  readonly errors: PrimitiveErrors;
  readonly ref: BlockRef;
  readonly #lines: ReadWriteLines;
  readonly #seat: Seat;
  /** The way that leads on from the seat. */
  readonly #writers: WritersEntrance;

  constructor(office: ReadWriteLines, seat: Seat) {
    this.#lines = office;
    this.#seat = seat;
    this.#writers = new WritersEntrance(office);
    this.health = this.#writers.health;
    this.errors = this.#writers.errors;
    this.ref = this.#writers.ref;
  }

  isOwner(): boolean {
    return this.#writers.isOwner();
  }

  /** Waits for the readers to leave. The agent already holds the seat. */
  enterSeated(timeoutMs: number): boolean {
    return this.#writers.tryEnter(timeoutMs);
  }

  enterSeatedAsync(options: WaitOptions): Promise<void> {
    return this.#writers.enterAsync(options);
  }

  enter(): void {
    this.tryEnter(Infinity);
  }

  tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { ref, reads } = this.#lines;
    if (timeoutMs === Infinity && (this.#seat.isOurs || reads > 0)) {
      throw new MisuseError(
        `${this.errors.toString()} is held for reading by this agent already, so the call would never return. It was not locked: ${this.#seat.isOurs ? 'use upgradeable.upgrade' : 'unlock the reader first'}.`,
      );
    }
    const { parking } = ref.context;
    const deadline = deadlineIn(parking, timeoutMs);
    const outcome = this.#seat.enter(timeoutMs, this.#lines.asyncWaits);
    this.#lines.check(outcome, 'writers');
    if (outcome !== TAKEN) return false;
    return this.#orLeave(() => this.#writers.tryEnter(leftUntil(parking, deadline)));
  }

  async enterAsync(options: WaitOptions = NO_WAIT_OPTIONS, entered?: () => void): Promise<void> {
    const { ref } = this.#lines;
    const checked = checkWait(options);
    const deadline = deadlineIn(ref.context.parking, checked.timeout ?? Infinity);
    this.#lines.check(await this.#seat.enterAsync(checked), 'writers');
    try {
      await this.#writers.enterAsync(optionsLeft(ref, checked, deadline), entered, checked.timeout);
    } catch (failure) {
      this.#seat.leave();
      throw failure;
    }
  }

  exit(): void {
    this.#writers.exit();
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
