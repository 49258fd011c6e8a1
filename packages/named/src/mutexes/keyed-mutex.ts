// A mutex for each key: a table of locks that exist while they are used.

import {
  type Arena,
  type Guard,
  type NotPromise,
  type OwnerDiedOptions,
  type RecoveryGuard,
  type RunOptions,
  type WaitOptions,
} from '@sluice/core';
import { checkOptions, isAsyncBody, show } from '@sluice/core/calls';
import {
  checkOpened,
  chosenArena,
  mayBlock,
  LOCK_POSITION,
  Primitive,
  tellOpened,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { checkKey } from '../table/key.ts';
import { KeyLock } from './key-lock.ts';
import { MARK_KEYS, USUALLY_KEPT } from '../table/layout.ts';
import { KeyTable, type TableTraits } from '../table/key-table.ts';
import { Locks, MUTEXES } from '../table/locks.ts';
import { reportKeys, type KeyedMutexReport } from './report.ts';

const KIND = 'sluice.keyed-mutex';

export type KeyedMutexHandle = PrimitiveHandle<typeof KIND>;

/** Whether the next owner of a key learns of the death of an owner. */
export type AfterDeath = 'notify' | 'forget';

export interface KeyedMutexOptions {
  /** The arena that contains the keyed mutex. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /**
   * Whether the next owner of a key learns that an owner died. `'notify'` (default): its call fails with `OwnerDiedError`,
   * as with a `Mutex`, and the key keeps its memory until then. `'forget'`: nothing.
   */
  readonly ownerDied?: AfterDeath | undefined;
}

const OPTIONS: readonly string[] = ['arena', 'name', 'ownerDied'];

const TRAITS: TableTraits = {
  mark: MARK_KEYS,
  payload: 0,
  kept: USUALLY_KEPT,
  className: 'KeyedMutex',
  what: 'The keyed mutex',
  entries: MUTEXES,
};

let construct: (keys: KeyTable) => KeyedMutex;

/**
 * A mutex for each key, shared by all agents of an arena. Keys are strings of at most 4,096 UTF-16 code units.
 *
 * - Agents exclude each other only if they lock the same key. Each key's lock is owned by one agent at a time; only the
 *   owner can unlock it.
 * - The waiters of a key are served in FIFO order, blocking and async waiters together.
 * - A key takes memory while an agent owns it or waits for it. At most 128 idle keys keep their memory for the next
 *   use.
 * - When the owner of a key dies and is recovered, the next owner gets the key with `OwnerDiedError` (see `OwnedLock`).
 *
 * ```ts run
 * import { KeyedMutex } from '@sluice/named';
 *
 * const accounts = KeyedMutex.create({ name: 'accounts' });
 * accounts.lock('alice');
 * console.log(accounts.tryLock('alice'), accounts.tryLock('bob')); // false true
 * accounts.unlock('bob');
 * accounts.unlock('alice');
 * console.log(await accounts.runAsync('alice', () => accounts.inspect().keys.length)); // 1
 * console.log(accounts.inspect().keys.length); // 0
 * ```
 */
export class KeyedMutex extends Primitive {
  /** The handle to post to another thread. Pass it to `KeyedMutex.from` there. */
  readonly handle: KeyedMutexHandle;
  readonly #locks: Locks;

  static {
    construct = (keys) => new this(keys);
  }

  private constructor(keys: KeyTable | undefined) {
    super(keys?.ref, TRAITS);
    checkOpened(keys, TRAITS.className);
    this.#locks = new Locks(keys, TRAITS);
    this.handle = Object.freeze(keys.handle(KIND));
    tellOpened(this, keys);
  }

  /**
   * Creates a keyed mutex. No key is locked.
   *
   * @throws {RangeError} If the name is too long.
   * @throws {TypeError} If an option has the wrong type or is unknown, or `ownerDied` is neither `'notify'` nor
   *   `'forget'`.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: KeyedMutexOptions = {}): KeyedMutex {
    checkOptions(options, OPTIONS);
    const { ownerDied = 'notify' }: { readonly ownerDied?: unknown } = options;
    if (ownerDied !== 'notify' && ownerDied !== 'forget')
      throw new TypeError(`ownerDied must be 'notify' or 'forget': received ${show(ownerDied)}`);
    return construct(KeyTable.create(chosenArena(options.arena), options.name, TRAITS, ownerDied === 'forget'));
  }

  /**
   * Opens the keyed mutex that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live keyed mutex.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: KeyedMutexHandle): KeyedMutex {
    return construct(KeyTable.open(handle, KIND, TRAITS));
  }

  /**
   * Returns the lock of a key, with every operation of a `Mutex`. It takes no memory in the arena until it is locked.
   *
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long.
   */
  at(key: string): KeyLock {
    const lock = this.#lockOf(key);
    this.checkThere();
    return lock;
  }

  /**
   * Locks a key, blocking the calling thread until this agent owns it.
   *
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long.
   * @throws The errors of `KeyLock.lock`.
   */
  lock(key: string): void {
    if (!mayBlock() || this.#locks.takeNow(key) === undefined) this.#lockOf(key).lock();
  }

  /**
   * Locks a key if it becomes available within `timeoutMs`. With 0, the default, it does not wait. Returns whether it
   * locked the key. A key with waiters is not available.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  tryLock(key: string, timeoutMs = 0): boolean {
    return this.#lockOf(key).tryLock(timeoutMs);
  }

  /**
   * Locks a key without blocking the thread. The promise resolves when this agent owns the key. Rejects with the errors
   * of `Mutex.lockAsync`.
   */
  async lockAsync(key: string, options?: WaitOptions): Promise<void> {
    await this.#lockOf(key).lockAsync(options);
  }

  /**
   * Unlocks a key.
   *
   * @throws {MisuseError} If this agent does not own the lock.
   */
  unlock(key: string): void {
    if (!this.#locks.releaseNow(key)) this.#lockOf(key).unlock();
  }

  /** Locks a key as `lock` does; returns a guard that unlocks it. */
  hold(key: string): Guard {
    return this.#lockOf(key).hold();
  }

  /** Locks a key as `tryLock` does; returns a guard, or `null` if it was not available within `timeoutMs`. */
  tryHold(key: string, timeoutMs = 0): Guard | null {
    return this.#lockOf(key).tryHold(timeoutMs);
  }

  /** Locks a key as `lockAsync` does; resolves with a guard. */
  async holdAsync(key: string, options?: WaitOptions): Promise<Guard> {
    return this.#lockOf(key).holdAsync(options);
  }

  /**
   * Runs `body` with the key locked and returns its result. Unlocks the key even if `body` throws. Otherwise it behaves
   * as `run` of a `Mutex`.
   */
  run<T>(key: string, body: () => NotPromise<T>, options?: OwnerDiedOptions): T {
    return this.#lockOf(key).run(body, options);
  }

  /**
   * Runs `body` with the key locked until the promise that it returns settles. Otherwise it behaves as `runAsync` of a
   * `Mutex`.
   */
  async runAsync<T>(key: string, body: () => T | PromiseLike<T>, options?: RunOptions): Promise<T> {
    const taken = options === undefined && isAsyncBody(body) ? this.#locks.takeNow(key) : undefined;
    if (taken === undefined) return this.#lockOf(key).runAsync(body, options);
    try {
      const later = this.#locks.context.budget.spend();
      if (later !== undefined) await later;
      return await body();
    } finally {
      if (!this.#locks.releaseNow(key, taken)) this.#lockOf(key).unlock();
    }
  }

  /**
   * Declares the data that a key protects consistent again, after its owner died.
   *
   * @throws The errors of `Mutex.markConsistent`.
   */
  markConsistent(key: string): void {
    this.#lockOf(key).markConsistent();
  }

  /**
   * Takes over a key that is unrecoverable or whose owner died, as `Mutex.takeOver` does. Returns `null`, without
   * locking the key, if it is consistent.
   */
  takeOver(key: string): RecoveryGuard | null {
    return this.#lockOf(key).takeOver();
  }

  /** Takes over a key as `takeOver` does, without blocking the thread. */
  async takeOverAsync(key: string, options?: WaitOptions): Promise<RecoveryGuard | null> {
    return this.#lockOf(key).takeOverAsync(options);
  }

  /** Whether this agent owns a key. */
  owns(key: string): boolean {
    return this.#lockOf(key).owned;
  }

  /** Returns a snapshot: the keys that are owned or waited for, or whose next owner will be told that an owner died. */
  inspect(): KeyedMutexReport {
    this.checkThere();
    return reportKeys(this.#locks);
  }

  /** The message of `holdAll` if it gets the keyed mutex itself. */
  get [LOCK_POSITION](): string {
    return 'pass the lock of a key, keyed.at(key)';
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { keys: this.inspect().keys.length };
  }

  /**
   * Frees the keyed mutex's memory, which another primitive may reuse. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent owns a key or waits for one, or it was already freed.
   */
  override free(): void {
    this.#locks.free();
  }

  /** Returns the lock of a key as `at` does, for a call that itself checks whether the keyed mutex was freed. */
  #lockOf(key: string): KeyLock {
    return new KeyLock(this.#locks, checkKey('The key', key));
  }
}
