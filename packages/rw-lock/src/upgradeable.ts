// The upgradeable read lock of a read-write lock. After parking_lot's `RwLockUpgradableReadGuard` and .NET's
// `ReaderWriterLockSlim`, composed from the lock's own reader and writer and the seat (seat.ts).
//
//   this agent          seat    read locks   write lock
//   holds nothing       no      any          no
//   reads upgradeably   yes     one or more  no
//   has upgraded        yes     none         yes          a writer, as after `writer.lock`
//
// An upgrade gives up the read lock first, and then waits for the write lock. In between no other agent can write,
// because it has no seat. So the data that the agent read is still valid. The agent can always go back: while it has
// the seat, no writer is inside or waits, and it gets a read lock at once.

import { Holdable, MisuseError, type WaitOptions } from '@sluice/core';
import { TAKEN } from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS, INSPECT, refusePosting } from '@sluice/core/calls';
import {
  deadlineIn,
  leftUntil,
  LOCK_POSITION,
  positionAt,
  tellOpened,
  unfollowed,
  type BlockRef,
  type Position,
} from '@sluice/core/internal';
import type { ReadWriteLines } from './read-write-lines.ts';
import { ReaderLock } from './reader.ts';
import { optionsLeft, type Seat } from './seat.ts';
import type { SeatedEntrance } from './seated-entrance.ts';
import type { WriterLock } from './writer.ts';

/**
 * The upgradeable side of a read-write lock. One agent holds it, beside any number of readers, and can become the
 * writer without letting another writer in between.
 *
 * Only one agent can hold it, so two upgrades cannot wait for each other. It waits in one FIFO line with writers.
 */
export class UpgradeableLock extends Holdable {
  readonly #lines: ReadWriteLines;
  readonly #seat: Seat;
  readonly #reader: ReaderLock;
  readonly #seated: SeatedEntrance;
  readonly #writer: WriterLock;
  readonly #downgrade: (to: UpgradeableLock) => void;

  /** `downgrade` turns this agent's write lock into a read lock, and keeps the seat. */
  constructor(
    office: ReadWriteLines,
    seat: Seat,
    seated: SeatedEntrance,
    writer: WriterLock,
    downgrade: (to: UpgradeableLock) => void,
  ) {
    super();
    refusePosting(this);
    this.#lines = office;
    this.#seat = seat;
    // Its calls are parts of the calls of this object.
    this.#reader = unfollowed(() => new ReaderLock(office));
    this.#seated = seated;
    this.#writer = writer;
    this.#downgrade = downgrade;
    tellOpened(this, { ref: office.ref, upgradesTo: writer });
  }

  override [INSPECT](): string {
    return this.#lines.line('RwLock.upgradeable', () => ({ held: this.held }));
  }

  /** The side between the reader and the writer. */
  get [LOCK_POSITION](): Position {
    return { ...positionAt(this.#ref), side: 1 };
  }

  /** The title that messages use: that of the read-write lock. */
  override toString(): string {
    return this.#lines.readersErrors.toString();
  }

  /** Whether this agent reads upgradeably. It is `false` after an upgrade: then the agent owns the `writer`. */
  get held(): boolean {
    this.#lines.checkThere();
    return this.#seat.isOurs && !this.#lines.writes && this.#lines.reads > 0;
  }

  /**
   * Locks for reading, blocking the calling thread until no other agent reads upgradeably or writes.
   *
   * @throws {MisuseError} If this agent reads or writes already, or on a browser's main thread; use `lockAsync` there.
   * @throws {OwnerDiedError} If a writer died and the data is not repaired. Nothing was locked.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this lock, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override lock(): void {
    this.tryLock(Infinity);
  }

  /**
   * Locks for reading if that becomes possible within `timeoutMs` (default 0: does not wait); returns whether it did.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `lock`, but `DeadlockError`, and `MisuseError` for a lock that this agent holds, only if
   *   `timeoutMs` is `Infinity`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    this.#lines.checkThere();
    // If this agent held another read lock, the call could wait for an agent that waits for readers to leave.
    if (timeoutMs === Infinity && (this.#seat.isOurs || this.#lines.reads > 0)) throw this.#heldAlready();
    const { parking } = this.#ref.context;
    const deadline = deadlineIn(parking, timeoutMs);
    const outcome = this.#seat.enter(timeoutMs, this.#lines.asyncWaits);
    this.#lines.check(outcome, 'writers');
    if (outcome !== TAKEN) return false;
    let isIn = false;
    try {
      // Succeeds at once, unless a writer that died is still being recovered.
      isIn = this.#reader.tryLock(leftUntil(parking, deadline));
    } finally {
      if (!isIn) this.#seat.leave();
    }
    return isIn;
  }

  /**
   * Locks for reading without blocking the thread. Rejects as `lock` throws, and with `TimeoutError` or
   * `signal.reason`.
   */
  override async lockAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    this.#lines.checkThere();
    const checked = checkWait(options);
    const deadline = deadlineIn(this.#ref.context.parking, checked.timeout ?? Infinity);
    this.#lines.check(await this.#seat.enterAsync(checked), 'writers');
    try {
      await this.#reader.lockAsync(optionsLeft(this.#ref, checked, deadline));
    } catch (failure) {
      this.#seat.leave();
      throw failure;
    }
  }

  /**
   * Unlocks. An agent that has upgraded unlocks the write lock, as `writer.unlock` does.
   *
   * @throws {MisuseError} If this agent neither reads upgradeably nor writes.
   */
  override unlock(): void {
    this.#lines.checkThere();
    if (this.#lines.writes) this.#writer.unlock();
    else {
      this.#checkHeld('be unlocked');
      this.#reader.unlock();
      this.#seat.leave();
    }
  }

  /**
   * Becomes the writer, blocking the calling thread until the readers have left. No other agent writes between the read
   * and the write, so the data that this agent has read is still valid. Readers that arrive meanwhile wait.
   *
   * If the call throws, this agent reads upgradeably as before.
   *
   * @throws {MisuseError} If this agent does not read upgradeably, or holds another read lock of its own; or on a
   *   browser's main thread; use `upgradeAsync` there.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this lock, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  upgrade(): void {
    this.tryUpgrade(Infinity);
  }

  /**
   * Becomes the writer if the readers leave within `timeoutMs` (default 0: does not wait); returns whether it did. If
   * not, this agent reads upgradeably as before.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `upgrade`.
   */
  tryUpgrade(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    this.#checkUpgrade();
    this.#reader.unlock();
    let isIn = false;
    try {
      isIn = this.#seated.enterSeated(timeoutMs);
    } finally {
      if (!isIn) this.#readAgain();
    }
    return isIn;
  }

  /**
   * Becomes the writer without blocking the thread. Rejects as `upgrade` throws, and with `TimeoutError` or
   * `signal.reason`.
   */
  async upgradeAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const checked = checkWait(options);
    this.#checkUpgrade();
    this.#reader.unlock();
    try {
      await this.#seated.enterSeatedAsync(checked);
    } catch (failure) {
      this.#readAgain();
      throw failure;
    }
  }

  /**
   * Turns the write lock back into the upgradeable read lock, atomically. Waiting readers enter.
   *
   * @throws {MisuseError} If this agent does not hold the write lock, or inherited it and has not marked it consistent.
   */
  downgrade(): void {
    this.#downgrade(this);
  }

  get #ref(): BlockRef {
    return this.#lines.ref;
  }

  #checkHeld(what: string): void {
    if (this.held) return;
    throw new MisuseError(
      `${this.toString()} cannot ${what}: this agent (agent ${this.#ref.context.id}) does not read upgradeably.`,
    );
  }

  #checkUpgrade(): void {
    this.#checkHeld('be upgraded');
    if (this.#lines.reads === 1) return;
    throw new MisuseError(
      `${this.toString()} cannot be upgraded: this agent (agent ${this.#ref.context.id}) holds another read lock, for which the upgrade would wait. Unlock it first.`,
    );
  }

  #heldAlready(): MisuseError {
    return new MisuseError(
      `${this.toString()} is held by this agent (agent ${this.#ref.context.id}) already, so the call would never return. It was not locked.`,
    );
  }

  /** Takes the read lock after an upgrade that failed. With the seat, the agent gets it at once. */
  #readAgain(): void {
    let isIn = false;
    try {
      isIn = this.#reader.tryLock();
    } finally {
      if (!isIn) this.#seat.leave();
    }
  }
}
