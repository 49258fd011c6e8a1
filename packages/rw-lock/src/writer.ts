// The write lock of a read-write lock.

import { MisuseError, OwnedLock, type WaitOptions } from '@sluice/core';
import {
  checkTimeout,
  checkWait,
  FLAT,
  IDLE,
  LOCK_LINE,
  LockHealth,
  INSPECT,
  mayBlock,
  refusePosting,
  refuseToBlock,
  TAKEN,
  type Account,
  type LocalState,
  type LockLine,
  type EntryAddress,
  type LineAddress,
} from '@sluice/core/internal';
import type { BoxOffice } from './box-office.ts';
import type { RwSteps } from './kinds.ts';

const NO_OPTIONS: WaitOptions = {};

/**
 * The exclusive side of a read-write lock. One agent holds it, while no agent holds the read lock.
 *
 * If the owner dies and is reclaimed, the next writer gets the lock with `OwnerDiedError` (see `OwnedLock`).
 */
export class WriterLock extends OwnedLock {
  readonly #health: LockHealth;
  readonly #office: BoxOffice;
  // Fields of the uncontended paths, each on its own: one lookup fewer per call.
  readonly #lock: LineAddress;
  readonly #localState: LocalState;
  readonly #id: number;
  readonly #entry: EntryAddress;
  readonly #lockWriter: RwSteps['lockWriter'];
  readonly #unlockWriter: RwSteps['unlockWriter'];

  constructor(office: BoxOffice) {
    super();
    refusePosting(this);
    const { address, context } = office.place;
    this.#office = office;
    this.#health = new LockHealth(context.words, address);
    this.#lock = address;
    this.#id = context.id;
    this.#entry = office.writers.entry;
    this.#localState = office.writers.localState;
    this.#lockWriter = mayBlock() ? office.kernel.lockWriter : refuseToBlock;
    this.#unlockWriter = office.kernel.unlockWriter;
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
    if (this.#lockWriter(this.#lock, this.#localState.tag, this.#id, this.#entry) !== TAKEN) super.lock();
  }

  /**
   * Unlocks for writing. All waiting readers enter. If none waits, the next writer enters, at the end of the turn with
   * the order `'turns'` and at each unlock with `'fifo'`.
   *
   * @throws {MisuseError} If this agent does not hold the write lock.
   */
  override unlock(): void {
    if (this.#unlockWriter(this.#lock, this.#localState.tag, this.#entry) !== IDLE) super.unlock();
  }

  /** Whether this agent holds the write lock. */
  get owned(): boolean {
    return this.isOwner();
  }

  /** For a condition of the write lock. */
  get [LOCK_LINE](): LockLine {
    const { place, kernel, writersAccount: account } = this.#office;
    const unlockToWait = (): void => {
      this.#health.beforeUnlock();
      this.#office.unlockWriterToWait();
    };
    return {
      place,
      move: (from, agent) => kernel.moveToWriter(from, agent, place.address, place.tag),
      localState: this.#localState,
      account,
      heedNotice: () => this.heedNotice(),
      unlockToWait,
      ...FLAT,
    };
  }

  override [INSPECT](): string {
    return this.#office.line('RwLock.writer', () => ({ owned: this.owned }));
  }

  protected override get health(): LockHealth {
    return this.#health;
  }

  protected override account(): Account {
    return this.#office.writersAccount;
  }

  protected override isOwner(): boolean {
    return this.#office.writes;
  }

  protected override enter(): void {
    this.#enterWithin(Infinity);
  }

  protected override tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#enterWithin(timeoutMs);
  }

  /** `whole` is the timeout of the call, if this is not its first wait. */
  protected override async enterAsync(
    options: WaitOptions = NO_OPTIONS,
    entered?: () => void,
    whole?: number,
  ): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    this.#office.check(await this.#office.writers.enterAsync(checked, entered, whole), 'writers');
  }

  protected override exit(): void {
    this.#office.unlockWriter();
  }

  #enterWithin(timeoutMs: number): boolean {
    const { readers, writers, reads } = this.#office;
    if (timeoutMs === Infinity && reads > 0) {
      throw new MisuseError(
        `${this.toString()} is held for reading by this agent already, so the call would never return. It was not locked: unlock the reader first.`,
      );
    }
    const outcome = writers.enter(timeoutMs, readers.asyncWaits);
    this.#office.check(outcome, 'writers');
    return outcome === TAKEN;
  }
}
