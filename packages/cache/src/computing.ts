// The computation of a key, by one agent at a time: the owner of the key's lock. If it dies, the next waiter owns the
// lock and computes.
//
//   look      a value: done                                               under the mutex of the table
//   take      the key's lock, free or after a wait
//   begin     look again · DIRTY = 0                                      under the mutex
//   compute   the caller's function
//   keep      unless DIRTY, and unless the cache was cleared: the value   under the mutex
//   release   the key's lock, to the next waiter
//
// `set` and `delete` set DIRTY of a key that is being computed. So a value from before a `set` or `delete` is given
// only to calls that came before it, and is never kept.

import { TimeoutError, type WaitOptions } from '@sluice/core';
import { mayBlock, refuseToBlock, type Clock } from '@sluice/core/internal';
import { hashOf, Locks, PAYLOAD_AT, type EntryLock, type KeyTable } from '@sluice/named/internal';
import type { Attempt } from './flight.ts';
import { shownKey } from './key.ts';
import { storeOf, TRAITS } from './placed-store.ts';
import type { Found, Reading, Store } from './store.ts';

/** The payload of a key's lock. 1: a `set` or `delete` came after the computation began. */
const DIRTY = PAYLOAD_AT;

export class Computing {
  readonly keys: KeyTable;
  readonly locks: Locks;
  readonly store: Store;
  readonly #clock: Clock;

  constructor(keys: KeyTable, clock: Clock) {
    this.keys = keys;
    this.locks = new Locks(keys, TRAITS);
    this.store = storeOf(keys);
    this.#clock = clock;
  }

  /** Returns the title of a key for messages. */
  titleOf(units: string): string {
    return `${this.keys.title}, key ${shownKey(units)}`;
  }

  /** Returns the value of a key. Copies no bytes if it has the version `known`. */
  look(units: string, reading: Reading, known: number): Found | undefined {
    const { keys, store } = this;
    const [hash, now] = [hashOf(units), this.#clock()];
    if (!keys.enterNow()) return keys.under(() => store.read(units, hash, now, reading, known));
    try {
      return store.read(units, hash, now, reading, known);
    } finally {
      keys.leave();
    }
  }

  has(units: string): boolean {
    return this.keys.under(() => this.store.has(units, hashOf(units), this.#clock()));
  }

  put(units: string, value: Uint8Array, ttl: number | undefined): void {
    this.keys.under(() => {
      this.#dirty(units);
      this.store.put(units, hashOf(units), value, this.#clock(), ttl);
    });
  }

  delete(units: string): boolean {
    return this.keys.under(() => {
      this.#dirty(units);
      return this.store.delete(units, hashOf(units), this.#clock());
    });
  }

  clear(): void {
    this.keys.under(() => this.store.clear());
  }

  /** Takes the lock of a key, waiting for at most `timeoutMs`. Returns `undefined` if it timed out. */
  take(units: string, timeoutMs: number): EntryLock | undefined {
    const { locks } = this;
    const mayWait = timeoutMs > 0 && mayBlock();
    const lock = locks.takeNow(units) ?? locks.take(units, mayWait ? timeoutMs : 0);
    if (lock === undefined && timeoutMs > 0 && !mayWait) refuseToBlock();
    return lock;
  }

  async takeAsync(units: string, options: WaitOptions): Promise<EntryLock> {
    const now = this.locks.takeNow(units);
    if (now !== undefined) return now;
    let taken: EntryLock | undefined;
    await this.locks.takeAsync(units, options, (lock) => (taken = lock));
    return taken as unknown as EntryLock;
  }

  /** Begins a computation, for the owner of the key's lock. Releases the lock if there is a fresh value by now. */
  begin(units: string, lock: EntryLock): Attempt | Found {
    const { keys, store } = this;
    const found = keys.look(units, lock, true, (entry) => {
      const again = store.read(units, hashOf(units), this.#clock(), 'looks');
      if (again !== undefined && !again.isStale) return again;
      keys.context.words.store32(keys.blocks.dataOf(entry) + DIRTY, 0);
      return { clears: store.clears };
    });
    if ('bytes' in found) this.release(units, lock);
    return found;
  }

  /** Whether a call that comes now may have the value that this attempt computes. */
  isCurrent(units: string, { clears }: Attempt): boolean {
    return this.keys.under(() => this.store.clears === clears && !this.#isDirty(units));
  }

  /** Ends a computation that returned a value: keeps the value, and releases the lock. */
  keep(units: string, lock: EntryLock, { clears }: Attempt, value: Uint8Array): void {
    const { keys, store } = this;
    try {
      keys.look(units, lock, true, () => {
        store.noteComputed();
        if (this.locks.owns(lock) && store.clears === clears && !this.#isDirty(units))
          store.put(units, hashOf(units), value, this.#clock());
      });
    } finally {
      this.release(units, lock);
    }
  }

  /** Ends a computation that failed. The caller throws its error. */
  fail(units: string, lock: EntryLock): void {
    try {
      this.keys.look(units, lock, true, () => this.store.noteFailed());
      this.release(units, lock);
    } catch {
      // Ignored: the error of the computation says more.
    }
  }

  release(units: string, lock: EntryLock): void {
    if (!this.locks.releaseNow(units, lock)) this.locks.release(units, () => this.titleOf(units), true);
  }

  /** Returns the error of a wait that timed out. Names the agent that computes. Never throws. */
  late(units: string, timeoutMs: number): Error {
    try {
      const lock = this.keys.under(() => {
        const entry = this.keys.table.find(units, hashOf(units));
        return entry === 0 ? undefined : this.locks.open(entry);
      });
      if (lock !== undefined) return lock.errors.timedOut(timeoutMs, 0);
    } catch {
      // The cache was freed, or this agent has left the arena.
    }
    return new TimeoutError(`${this.titleOf(units)}: got no value within ${timeoutMs} ms.`);
  }

  /** For the owner of the table's mutex. */
  #dirty(units: string): void {
    const { table, blocks, context } = this.keys;
    const entry = table.find(units, hashOf(units));
    if (entry !== 0) context.words.store32(blocks.dataOf(entry) + DIRTY, 1);
  }

  #isDirty(units: string): boolean {
    const { table, blocks, context } = this.keys;
    const entry = table.find(units, hashOf(units));
    return entry !== 0 && context.words.load32(blocks.dataOf(entry) + DIRTY) !== 0;
  }
}
