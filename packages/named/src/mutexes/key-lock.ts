// The lock of one key of a keyed mutex, as one agent sees it. It has no words of its own: each call finds or creates
// the key's entry.

import { MisuseError, OwnedLock, type Entrance, type LockErrors, type WaitOptions } from '@sluice/core';
import { checkTimeout, checkWait, INSPECT, NO_WAIT_OPTIONS, consoleText, refuseToBlock } from '@sluice/core/calls';
import { LockHealth, mayBlock, LOCK_POSITION, positionAt, type BlockRef, type Position } from '@sluice/core/internal';
import type { EntryLock, Locks } from '../table/locks.ts';

/** The way into the lock of one key and out of it: it finds or creates the key's entry. */
class KeyEntrance implements Entrance, LockErrors {
  readonly errors = this;
  readonly #locks: Locks;
  readonly #key: string;
  /** The key's entry when this agent last owned it. The entry stays while the agent owns the key. */
  held: EntryLock | undefined;

  constructor(locks: Locks, key: string) {
    this.#locks = locks;
    this.#key = key;
  }

  /** Returns the title for messages, such as "KeyedMutex 'accounts', key "17"". */
  toString(): string {
    return `${this.#locks.keys.title}, key ${JSON.stringify(this.#key)}`;
  }

  /** The table, for tools: all keys of a keyed mutex are one primitive to them. */
  get ref(): BlockRef {
    return this.#locks.keys.ref;
  }

  get health(): LockHealth {
    // Callers of `health` own the lock.
    return new LockHealth(this.#locks.context.words, this.held?.entry ?? 0);
  }

  notOwner(what: string): MisuseError {
    return new MisuseError(`${this.toString()} cannot ${what}: this agent does not own it.`);
  }

  /** The caller has found that this agent owns the lock. */
  ownedAlready(): MisuseError {
    return (this.held as EntryLock).errors.ownedAlready();
  }

  isOwner(): boolean {
    if (this.held !== undefined && this.#locks.owns(this.held)) return true;
    this.held = this.#locks.owned(this.#key);
    return this.held !== undefined;
  }

  enter(): void {
    if (!mayBlock()) refuseToBlock();
    this.held = this.#locks.take(this.#key, Infinity);
  }

  tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) {
      checkTimeout(timeoutMs);
      if (!mayBlock()) refuseToBlock();
    }
    const lock = this.#locks.takeNow(this.#key) ?? this.#locks.take(this.#key, timeoutMs);
    if (lock !== undefined) this.held = lock;
    return lock !== undefined;
  }

  async enterAsync(options: WaitOptions = NO_WAIT_OPTIONS, entered: () => void): Promise<void> {
    const checked = checkWait(options);
    const taken = this.#locks.takeNow(this.#key);
    if (taken === undefined) await this.#locks.takeAsync(this.#key, checked, (lock) => this.#enterWith(lock, entered));
    else {
      this.#enterWith(taken, entered);
      const later = this.#locks.context.budget.spend();
      if (later !== undefined) await later;
    }
  }

  #enterWith(lock: EntryLock | undefined, entered: () => void): void {
    this.held = lock;
    entered();
  }

  /** Also if a notice stays for the next owner: the entry's mutex keeps the notice. */
  exit(): void {
    this.#locks.release(this.#key, () => this.toString(), true);
  }
}

/**
 * The lock of one key of a `KeyedMutex`. `KeyedMutex.at` returns it.
 *
 * It promises what a `Mutex` with the order `'fifo'` promises, and only its owner can unlock it. It takes memory in the
 * arena while an agent owns it or waits for it. An idle key may keep its memory for its next use.
 */
export class KeyLock extends OwnedLock {
  readonly #locks: Locks;
  readonly #key: string;
  readonly #entrance: KeyEntrance;

  /** @internal */
  constructor(locks: Locks, key: string) {
    const entrance = new KeyEntrance(locks, key);
    super(entrance);
    this.#locks = locks;
    this.#key = key;
    this.#entrance = entrance;
  }

  /** The key that this object locks, as the caller named it. */
  get key(): string {
    return this.#key;
  }

  /** All keys of a keyed mutex have one address. */
  get [LOCK_POSITION](): Position {
    return { ...positionAt(this.#locks.keys.ref), key: this.#key };
  }

  /**
   * Locks the key, blocking the calling thread until this agent owns it. Waiters are served in FIFO order, together
   * with async waiters.
   *
   * @throws {MisuseError} If this agent already owns it, or on a browser's main thread; use `lockAsync` there.
   * @throws {OwnerDiedError} If an owner died. If the error has a guard, this agent owns the lock; otherwise it was not
   *   locked.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this key, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the key or for the waiter.
   */
  override lock(): void {
    const taken = mayBlock() ? this.#locks.takeNow(this.#key) : undefined;
    if (taken !== undefined) {
      this.#entrance.held = taken;
      return;
    }
    this.#entrance.enter();
    this.heedNotice();
  }

  /**
   * Unlocks the key, and hands it off to the longest waiter.
   *
   * @throws {MisuseError} If this agent does not own the lock.
   */
  override unlock(): void {
    if (!this.#locks.releaseNow(this.#key)) this.#locks.release(this.#key, () => this.toString());
  }

  override [INSPECT](): string {
    return consoleText('KeyLock', () => ({ of: this.#locks.keys.title, key: this.#key, owned: this.owned }));
  }
}
