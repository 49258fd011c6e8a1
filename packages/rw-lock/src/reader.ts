// The read lock of a read-write lock.

import { Holdable, MisuseError, OwnerDiedError, type WaitOptions } from '@sluice/core';
import {
  CONSISTENT,
  FOREIGN,
  HEALTH,
  IDLE,
  RACED,
  SHUT,
  TAKEN,
  UNRECOVERABLE,
  type AgentAddress,
  type ElementAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import { checkTimeout, checkWait, INSPECT, NO_WAIT_OPTIONS, refusePosting, refuseToBlock } from '@sluice/core/calls';
import {
  asCorrupt,
  mayBlock,
  retryOrThrow,
  LOCK_POSITION,
  positionAt,
  tellOpened,
  type LineState,
  type Position,
} from '@sluice/core/internal';
import type { ReadWriteLines } from './read-write-lines.ts';
import type { RwSteps } from './kinds.ts';

type Left = Wake | typeof SHUT | typeof FOREIGN | ElementAddress;

/**
 * The shared side of a read-write lock. Any number of agents can hold it at once, but never while an agent holds the
 * writer.
 *
 * One agent may lock it several times, and must unlock it as many times. A reader that arrives while a writer waits
 * queues behind that writer.
 *
 * After a writer's death all attempts fail with `OwnerDiedError`, and nothing is locked, until a writer has inherited
 * the lock or taken it over, and has marked it consistent.
 */
export class ReaderLock extends Holdable {
  readonly #lines: ReadWriteLines;
  readonly #lock: LineAddress;
  readonly #lineState: LineState;
  readonly #agent: AgentAddress;
  readonly #lockReader: RwSteps['lockReader'];
  readonly #unlockReader: RwSteps['unlockReader'];

  constructor(office: ReadWriteLines) {
    super();
    refusePosting(this);
    const { address, context } = office.ref;
    this.#lines = office;
    this.#lock = address;
    this.#lineState = office.readers.lineState;
    this.#agent = context.agent;
    this.#lockReader = office.kernel.lockReader;
    this.#unlockReader = office.kernel.unlockReader;
    tellOpened(this, office);
  }

  override [INSPECT](): string {
    return this.#lines.line('RwLock.reader', () => ({ held: this.held }));
  }

  /** The weakest side of the lock. */
  get [LOCK_POSITION](): Position {
    return { ...positionAt(this.#lines.ref), side: 0 };
  }

  /** The title that messages use: that of the read-write lock. */
  override toString(): string {
    return this.#lines.readersErrors.toString();
  }

  /** The number of read locks that this agent holds. */
  get held(): number {
    return this.#lines.reads;
  }

  /**
   * Locks for reading, blocking the calling thread until no writer holds the lock or waits ahead (also known as
   * "rdlock").
   *
   * @throws {MisuseError} If this agent holds the lock and would wait for itself, or on a browser's main thread; use
   *   `lockAsync` there.
   * @throws {OwnerDiedError} If a writer died and the data is not repaired. Nothing was locked.
   * @throws {RangeError} If there are 2,097,151 readers already.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this lock, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override lock(): void {
    if (!mayBlock()) refuseToBlock();
    if (this.#lockAtOnce() !== TAKEN) this.#lockWithin(Infinity);
  }

  /**
   * Locks for reading if that becomes possible within `timeoutMs`; returns whether it did.
   *
   * With 0, the default, the call does not wait.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `lock`, but `DeadlockError`, and `MisuseError` for a lock that this agent holds, only if
   *   `timeoutMs` is `Infinity`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#lockAtOnce() === TAKEN || this.#lockWithin(timeoutMs);
  }

  /**
   * Locks for reading without blocking the thread; the promise resolves when this agent holds a read lock.
   *
   * Rejects with `OwnerDiedError`, `RangeError` and `ArenaFullError` as `lock` throws them. Also rejects with
   * `TimeoutError` or `signal.reason`.
   */
  override async lockAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const checked = checkWait(options);
    if (this.#lockAtOnce() === TAKEN) {
      const later = this.#lines.ref.context.budget.spend();
      if (later !== undefined) await later;
      return;
    }
    this.#lines.check(await this.#lines.readers.enterAsync(checked), 'readers');
    this.#throwNotice();
  }

  /**
   * Releases one read lock of this agent. The last reader lets the next writer in.
   *
   * @throws {MisuseError} If this agent does not hold a read lock.
   */
  override unlock(): void {
    const { block, tag, entry } = this.#lineState;
    let left: Left;
    try {
      left = this.#unlockReader(block, tag, this.#agent, entry);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (left !== IDLE) this.#afterUnlock(left);
  }

  #lockAtOnce(): number {
    const { block, tag, entry } = this.#lineState;
    let outcome: number;
    let tries = 0;
    do outcome = this.#lockReader(block, tag, entry);
    while (outcome === RACED && retryOrThrow(++tries, this));
    return outcome;
  }

  #lockWithin(timeoutMs: number): boolean {
    const { readers, writers, reads, writes } = this.#lines;
    // Otherwise the agent would wait behind a writer that waits for this agent, or behind its own write lock.
    const waitsForItself = timeoutMs === Infinity && (reads > 0 || writes);
    const outcome = readers.enter(waitsForItself ? 0 : timeoutMs, writers.asyncWaits);
    this.#lines.check(outcome, 'readers');
    if (outcome !== TAKEN) {
      if (waitsForItself) throw this.#heldAlready();
      return false;
    }
    this.#throwNotice();
    return true;
  }

  #afterUnlock(left: Left): void {
    if (left === FOREIGN)
      throw new MisuseError(
        `${this.toString()} cannot be unlocked for reading: this agent (agent ${this.#lines.ref.context.id}) does not hold it. It is ${this.#lines.readersErrors.why(0) || 'not locked'}.`,
      );
    if (left === SHUT) this.#lines.checkThere();
    else this.#lines.wakeWriters(left);
  }

  #heldAlready(): MisuseError {
    return new MisuseError(
      `${this.toString()} is held by this agent (agent ${this.#lines.ref.context.id}) already, so the call would never return. It was not locked.`,
    );
  }

  #throwNotice(): void {
    const health = this.#lines.ref.context.words.load32(this.#lock + HEALTH);
    if (health === CONSISTENT) return;
    const entrance = health === UNRECOVERABLE ? 'call `writer.takeOver()`' : 'lock `writer`';
    this.unlock();
    throw new OwnerDiedError(
      `${this.toString()}: a writer died, and what the lock protects may be half changed. It was not locked: ${entrance}, ` +
        'repair the data and call markConsistent.',
    );
  }
}
