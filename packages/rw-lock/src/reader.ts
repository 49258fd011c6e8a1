// The side of a read-write lock that many hold at once.

import { Holdable, MisuseError, OwnerDiedError, type WaitOptions } from '@sluice/core';
import {
  asCorrupt,
  checkTimeout,
  checkWait,
  CONSISTENT,
  FOREIGN,
  HEALTH,
  IDLE,
  INSPECT,
  mayBlock,
  mayRetry,
  refusePosting,
  RACED,
  refuseToBlock,
  TAKEN,
  UNRECOVERABLE,
  type Kernel,
  type LocalState,
} from '@sluice/core/internal';
import type { BoxOffice } from './box-office.ts';

const NO_OPTIONS: WaitOptions = {};

/**
 * Held by any number of agents at once, and by one agent as often as it likes, but never beside a writer. Readers that
 * arrive while a writer waits stand behind it.
 *
 * After the death of a writer all attempts fail with `OwnerDiedError`, and nothing is taken, until a writer has inherited
 * the lock, or taken it over, and marked it consistent.
 */
export class ReaderLock extends Holdable {
  readonly #office: BoxOffice;
  readonly #lock: number;
  readonly #localState: LocalState;
  readonly #entry: number;
  readonly #agent: number;
  readonly #lockReader: Kernel['lockReader'];
  readonly #unlockReader: Kernel['unlockReader'];

  constructor(office: BoxOffice) {
    super();
    refusePosting(this);
    const { address, context } = office.place;
    this.#office = office;
    this.#lock = address;
    this.#entry = office.readers.entry;
    this.#localState = office.readers.localState;
    this.#agent = context.agent;
    this.#lockReader = office.kernel.lockReader;
    this.#unlockReader = office.kernel.unlockReader;
  }

  override [INSPECT](): string {
    return this.#office.line('RwLock.reader', () => ({ held: this.held }));
  }

  /** As the lock. */
  override toString(): string {
    return this.#office.readersAccount.toString();
  }

  /** How often this agent holds it. */
  get held(): number {
    return this.#office.reads;
  }

  /**
   * Blocks until it may read. Throws `MisuseError` (this agent holds the lock and would wait for itself; on a browser's
   * main thread), `OwnerDiedError`, `RangeError` (2,097,151 readers), `DeadlockError`, `ArenaFullError`.
   */
  override lock(): void {
    if (!mayBlock()) refuseToBlock();
    if (this.#lockAtOnce() !== TAKEN) this.#lockWithin(Infinity);
  }

  /** Waits `timeoutMs` ms at the most, with 0 not at all; whether it may read now. Throws as `lock`. */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#lockAtOnce() === TAKEN || this.#lockWithin(timeoutMs);
  }

  /** Resolves when it may read. Rejects as `lock` throws, and with `TimeoutError` and `signal.reason`. */
  override async lockAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    if (this.#lockAtOnce() === TAKEN) return;
    this.#office.check(await this.#office.readers.enterAsync(checked), 'readers');
    this.#throwNotice();
  }

  /** Reads no more. Throws `MisuseError` when this agent does not hold it. */
  override unlock(): void {
    let left: number;
    try {
      left = this.#unlockReader(this.#lock, this.#localState.tag, this.#agent, this.#entry);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (left !== IDLE) this.#afterUnlock(left);
  }

  #lockAtOnce(): number {
    let outcome: number;
    let tries = 0;
    do outcome = this.#lockReader(this.#lock, this.#localState.tag, this.#entry);
    while (outcome === RACED && mayRetry(++tries));
    return outcome;
  }

  #lockWithin(timeoutMs: number): boolean {
    const { readers, writers, reads, writes } = this.#office;
    // A wait would be behind a writer that waits for this agent, or that this agent is.
    const waitsForItself = timeoutMs === Infinity && (reads > 0 || writes);
    const outcome = readers.enter(waitsForItself ? 0 : timeoutMs, writers.asyncWaits);
    this.#office.check(outcome, 'readers');
    if (outcome !== TAKEN) {
      if (waitsForItself) throw this.#heldAlready();
      return false;
    }
    this.#throwNotice();
    return true;
  }

  #afterUnlock(left: number): void {
    if (left === FOREIGN) throw new MisuseError(`${this.toString()} cannot be unlocked for reading: this agent (agent ${this.#office.place.context.id}) does not hold it. It is ${this.#office.readersAccount.why(0) || 'not locked'}.`);
    this.#office.check(left, 'readers');
    this.#office.writers.wake(left);
  }

  #heldAlready(): MisuseError {
    return new MisuseError(`${this.toString()} is held by this agent (agent ${this.#office.place.context.id}) already, so the call would never return. It was not locked.`);
  }

  #throwNotice(): void {
    const health = this.#office.place.context.words.load32(this.#lock + HEALTH);
    if (health === CONSISTENT) return;
    const entrance = health === UNRECOVERABLE ? 'call `writer.takeOver()`' : 'lock `writer`';
    this.unlock();
    throw new OwnerDiedError(
      `${this.toString()}: a writer died, and what the lock protects may be half changed. It was not locked: ${entrance}, ` +
        'repair the data and call markConsistent.',
    );
  }
}
