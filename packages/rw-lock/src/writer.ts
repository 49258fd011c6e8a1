// The side of a read-write lock that one holds alone.

import { MisuseError, OwnedLock, type WaitOptions } from '@sluice/core';
import {
  checkTimeout,
  checkWait,
  IDLE,
  LockHealth,
  INSPECT,
  mayBlock,
  mayRetry,
  refusePosting,
  RACED,
  refuseToBlock,
  TAKEN,
  type Account,
  type Kernel,
  type LocalState,
} from '@sluice/core/internal';
import type { BoxOffice } from './box-office.ts';

const NO_OPTIONS: WaitOptions = {};

/**
 * Held by one agent alone, no reader beside it. An owned lock: when the agent that writes dies and is reclaimed, the next
 * writer gets it with `OwnerDiedError` (see `OwnedLock`).
 */
export class WriterLock extends OwnedLock {
  readonly #health: LockHealth;
  readonly #office: BoxOffice;
  // What the uncontended paths need, each a field of its own: a lookup less per call.
  readonly #lock: number;
  readonly #localState: LocalState;
  readonly #entry: number;
  readonly #lockWriter: Kernel['lockWriter'];
  readonly #unlockWriter: Kernel['unlockWriter'];

  constructor(office: BoxOffice) {
    super();
    refusePosting(this);
    const { address, context } = office.place;
    this.#office = office;
    this.#health = new LockHealth(context.words, address);
    this.#lock = address;
    this.#entry = office.writers.entry;
    this.#localState = office.writers.localState;
    this.#lockWriter = mayBlock() ? office.kernel.lockWriter : refuseToBlock;
    this.#unlockWriter = office.kernel.unlockWriter;
  }

  /**
   * Blocks until this agent writes alone. Throws `MisuseError` (it holds a side of the lock already; on a browser's main
   * thread), `OwnerDiedError` (with the guard, if it is to be had), `RangeError` (2,097,151 writers), `DeadlockError`,
   * `ArenaFullError`.
   */
  override lock(): void {
    if (this.#lockWriter(this.#lock, this.#localState.tag, this.#entry) !== TAKEN) super.lock();
  }

  /** Writes no more: readers that wait go in, else the next writer. Throws `MisuseError` when this agent does not write. */
  override unlock(): void {
    if (this.#unlockWriter(this.#lock, this.#localState.tag, this.#entry) !== IDLE) super.unlock();
  }

  /** Whether this agent holds it. */
  get owned(): boolean {
    return this.isOwner();
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

  protected override async enterAsync(options: WaitOptions = NO_OPTIONS, entered?: () => void): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    this.#office.check(await this.#office.writers.enterAsync(checked, entered), 'writers');
  }

  protected override exit(): void {
    const { kernel, place, writers } = this.#office;
    let left: number;
    let tries = 0;
    do left = kernel.handOverWriter(place.address, place.context.agent, writers.entry);
    while (left === RACED && mayRetry(++tries));
    writers.wake(left);
  }

  #enterWithin(timeoutMs: number): boolean {
    const { readers, writers, reads } = this.#office;
    if (timeoutMs === Infinity && reads > 0) {
      throw new MisuseError(`${this.toString()} is held for reading by this agent already, so the call would never return. It was not locked: unlock the reader first.`);
    }
    const outcome = writers.enter(timeoutMs, readers.asyncWaits);
    this.#office.check(outcome, 'writers');
    return outcome === TAKEN;
  }
}
