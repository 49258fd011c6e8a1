// The write lock of a read-write lock.

import { MisuseError, OwnedLock } from '@sluice/core';
import { IDLE, TAKEN, WAITING, type EntryAddress, type LineAddress } from '@sluice/core/format';
import { INSPECT, refuseToBlock } from '@sluice/core/calls';
import {
  FLAT,
  LOCK_LINE,
  LockHealth,
  mayBlock,
  LOCK_POSITION,
  positionAt,
  type LineState,
  type LockLine,
  type Position,
} from '@sluice/core/internal';
import type { ReadWriteLines } from './read-write-lines.ts';
import type { RwSteps } from './kinds.ts';
import type { SeatedEntrance } from './seated-entrance.ts';
import { WritersEntrance } from './writers-entrance.ts';

/**
 * The exclusive side of a read-write lock. One agent holds it, while no agent holds the read lock.
 *
 * If the owner dies and is reclaimed, the next writer gets the lock with `OwnerDiedError` (see `OwnedLock`).
 */
export class WriterLock extends OwnedLock {
  readonly #lines: ReadWriteLines;
  readonly #seated: SeatedEntrance | undefined;
  // Fields of the uncontended paths, each on its own: one lookup fewer per call.
  readonly #lock: LineAddress;
  readonly #lineState: LineState;
  readonly #id: number;
  readonly #entry: EntryAddress;
  readonly #lockWriter: (...at: Parameters<RwSteps['lockWriter']>) => number;
  readonly #unlockWriter: (...at: Parameters<RwSteps['unlockWriter']>) => number;

  /** `seated` is the entrance of a lock with upgradeable readers. */
  constructor(office: ReadWriteLines, seated?: SeatedEntrance) {
    super(seated ?? new WritersEntrance(office));
    const { address, context } = office.ref;
    this.#lines = office;
    this.#seated = seated;
    this.#lock = address;
    this.#id = context.id;
    this.#entry = office.writers.entry;
    this.#lineState = office.writers.lineState;
    this.#lockWriter = mayBlock() ? office.kernel.lockWriter : refuseToBlock;
    this.#unlockWriter = office.kernel.unlockWriter;
    // The uncontended steps do not take the seat.
    if (seated !== undefined) this.#lockWriter = this.#unlockWriter = () => WAITING;
  }

  /**
   * Locks for writing, blocking the calling thread until this agent holds the lock alone (also known as "wrlock").
   *
   * With the order `'turns'` a thread that writes may lock again past waiting writers, for a turn of half a millisecond
   * and while no reader waits.
   *
   * @throws {MisuseError} If this agent already holds the reader or the writer, or on a browser's main thread; use
   *   `lockAsync` there.
   * @throws {OwnerDiedError} If a writer died. If the error has a guard, this agent owns the lock; otherwise it was not
   *   locked.
   * @throws {RangeError} If 131,071 writers hold the lock or wait already.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this lock, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override lock(): void {
    if (this.#lockWriter(this.#lock, this.#lineState.tag, this.#id, this.#entry) !== TAKEN) super.lock();
  }

  /**
   * Unlocks for writing. All waiting readers enter. If none waits, the next writer enters, at the end of the turn with
   * the order `'turns'` and at each unlock with `'fifo'`.
   *
   * @throws {MisuseError} If this agent does not hold the write lock.
   */
  override unlock(): void {
    if (this.#unlockWriter(this.#lock, this.#lineState.tag, this.#entry) !== IDLE) super.unlock();
  }

  /**
   * For a condition of the write lock. A lock with a seat has none: a notified waiter would move to the writers' line
   * without the seat.
   */
  get [LOCK_LINE](): LockLine {
    if (this.#seated !== undefined)
      throw new MisuseError(
        `${this.toString()} has upgradeable readers: its writer can have no condition. Use a lock created without upgradeable.`,
      );
    const { ref, kernel, writersErrors: errors } = this.#lines;
    const unlockToWait = (): void => {
      new LockHealth(ref.context.words, ref.address).beforeUnlock();
      this.#lines.unlockWriterToWait();
    };
    return {
      ref,
      move: (from, agent) => kernel.moveToWriter(from, agent, ref.address, ref.tag),
      lineState: this.#lineState,
      errors,
      heedNotice: () => this.heedNotice(),
      unlockToWait,
      ...FLAT,
    };
  }

  /** The strongest side of the lock. */
  get [LOCK_POSITION](): Position {
    return { ...positionAt(this.#lines.ref), side: 2 };
  }

  override [INSPECT](): string {
    return this.#lines.line('RwLock.writer', () => ({ owned: this.owned }));
  }
}
