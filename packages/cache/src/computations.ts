// The computation of a key, by one agent at a time: the owner of the key's lock.
//
//   read      a value: done                                               under the mutex of the table
//   take      the key's lock, or a value that came meanwhile              under the mutex of the table
//   begin     read again · DIRTY = 0                                      under the mutex of the table
//   compute   the caller's function
//   keep      the value, unless DIRTY or the cache was cleared            under the mutex of the table
//   release   no waiter: the lock is free · waiters: the lock is dropped  under the mutex of the table
//
// A lock with waiters is dropped, not handed over: all waiters wake and take again. So a waiter finds the value
// although the thread of an earlier waiter does not run, and no lock is owned by a thread that is blocked elsewhere.
// Only a recovery hands the lock of a dead owner to the longest waiter.
//
// `set` and `delete` set DIRTY of a key that is being computed. So a computation that began before a `set` or `delete`
// never stores its value. Only callers in its thread that joined it before the `set` or `delete` get that value.
//
// Lost wake-up: a waiter looks for a value and enters the line of the key's lock in one hold of the table's mutex
// (named: `Locks.take`, `Locks.awaitTurn`). `keep` writes the value and `release` drops the lock later, each under the
// same mutex. So either the waiter sees the value, or `release` finds the waiter in line (`isAwaited`) and ends its
// wait. If the waiter released the mutex after it looked and before it entered the line, the value could be kept and
// the lock freed in between. The waiter would then take the free lock and compute the value a second time.

import { TimeoutError, type WaitOptions } from '@sluice/core';
import { refuseToBlock, type Clock } from '@sluice/core/calls';
import { isAwaited, mayBlock } from '@sluice/core/internal';
import { hashOf, Locks, PAYLOAD_AT, type EntryLock, type KeyTable } from '@sluice/named/internal';
import type { Attempt } from './flight.ts';
import { shownKey } from './key.ts';
import { storeOf, TRAITS } from './store-block.ts';
import type { CachedValue, ReadEffect, CacheStore } from './store.ts';

/** The payload of a key's lock. 1: a `set` or `delete` came after the computation began. */
const DIRTY = PAYLOAD_AT;

export class Computations {
  readonly keys: KeyTable;
  readonly locks: Locks;
  readonly store: CacheStore;
  readonly #clock: Clock;

  /** The model gives locks and a store of its own. */
  constructor(keys: KeyTable, clock: Clock, locks = new Locks(keys, TRAITS), store = storeOf(keys)) {
    this.keys = keys;
    this.locks = locks;
    this.store = store;
    this.#clock = clock;
  }

  /** Returns the title of a key for messages. */
  titleOf(units: string): string {
    return `${this.keys.title}, key ${shownKey(units)}`;
  }

  /** Returns the value of a key. Copies no bytes if it has the version `known`. */
  read(units: string, reading: ReadEffect, known: number): CachedValue | undefined {
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

  /**
   * Takes the lock of a key, waiting for at most `timeoutMs`, unless a fresh value comes meanwhile. Returns `undefined`
   * if it timed out.
   */
  take(units: string, timeoutMs: number): EntryLock | CachedValue | undefined {
    const { locks } = this;
    const now = locks.takeNow(units);
    if (now !== undefined) return now;
    const mayWait = timeoutMs > 0 && mayBlock();
    const meanwhile = this.#meanwhile(units);
    const lock = locks.take(units, mayWait ? timeoutMs : 0, meanwhile.look);
    if (lock !== undefined) return lock;
    if (meanwhile.found !== undefined) {
      this.keys.tidy(units);
      return meanwhile.found;
    }
    if (timeoutMs > 0 && !mayWait) refuseToBlock();
    return undefined;
  }

  /**
   * Takes the lock of a key, unless a fresh value comes meanwhile. Calls `entered` in the turn of the event loop in which
   * the lock is taken. Rejects with the errors of a wait.
   */
  async takeAsync(
    units: string,
    options: WaitOptions,
    entered: (lock: EntryLock) => void,
  ): Promise<EntryLock | CachedValue> {
    const now = this.locks.takeNow(units);
    if (now !== undefined) {
      entered(now);
      return now;
    }
    for (;;) {
      const meanwhile = this.#meanwhile(units);
      let taken: EntryLock | undefined;
      const enter = (lock: EntryLock | undefined): void => {
        taken = lock;
        if (lock !== undefined) entered(lock);
      };
      await this.locks.awaitTurn(units, options, enter, meanwhile.look);
      if (taken !== undefined) return taken;
      if (meanwhile.found !== undefined) {
        this.keys.tidy(units);
        return meanwhile.found;
      }
      this.keys.checkThere();
    }
  }

  /** Looks for a fresh value whenever the key's lock is about to be taken. */
  #meanwhile(units: string): { found: CachedValue | undefined; readonly look: () => boolean } {
    const meanwhile = {
      found: undefined as CachedValue | undefined,
      look: () => {
        meanwhile.found = this.#fresh(units);
        return meanwhile.found !== undefined;
      },
    };
    return meanwhile;
  }

  /** For the owner of the table's mutex. */
  #fresh(units: string): CachedValue | undefined {
    const found = this.store.read(units, hashOf(units), this.#clock(), 'looks');
    return found?.isStale === true ? undefined : found;
  }

  /** Begins a computation, for the owner of the key's lock. Returns a fresh value instead, if there is one by now. */
  begin(units: string, lock: EntryLock): Attempt | CachedValue {
    const { keys, store } = this;
    return keys.under(() => {
      const found = this.#fresh(units);
      if (found !== undefined) return found;
      // A dead owner's lock may be in no list.
      keys.context.words.store32(keys.blocks.dataOf(lock.entry) + DIRTY, 0);
      return { clears: store.clears, lock };
    });
  }

  /** Whether a call that comes now may have the value that this attempt computes. */
  isCurrent({ clears, lock }: Attempt): boolean {
    return this.keys.under(() => this.store.clears === clears && !this.#isDirty(lock));
  }

  /** Keeps a value, for the owner of the key's lock. */
  keep(units: string, { clears, lock }: Attempt, value: Uint8Array): void {
    const { keys, store } = this;
    keys.under(() => {
      store.noteComputed();
      if (this.locks.owns(lock) && store.clears === clears && !this.#isDirty(lock))
        store.put(units, hashOf(units), value, this.#clock());
    });
  }

  noteFailed(): void {
    this.keys.under(() => this.store.noteFailed());
  }

  /** Releases the lock of a key. All waiters wake, and look for a value. */
  release(units: string, lock: EntryLock): void {
    const { keys, locks } = this;
    if (locks.releaseNow(units, lock)) return;
    keys.under(() => {
      if (!locks.owns(lock)) return;
      const { table, blocks, context } = keys;
      const isListed = table.find(units, this.keys.hashOf(units)) === lock.entry;
      if (isListed && isAwaited(context.words, lock.entry)) table.drop(lock.entry);
      else {
        lock.mutex.unlock();
        if (isListed) table.tidy(lock.entry);
        else if (blocks.isFree(lock.entry, true)) blocks.free(lock.entry);
      }
    });
  }

  /** Returns the error of a wait that timed out. Names the agent that computes. Never throws. */
  timedOut(units: string, timeoutMs: number): Error {
    try {
      const lock = this.keys.under(() => {
        const entry = this.keys.table.find(units, this.keys.hashOf(units));
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
    const entry = table.find(units, this.keys.hashOf(units));
    if (entry !== 0) context.words.store32(blocks.dataOf(entry) + DIRTY, 1);
  }

  #isDirty(lock: EntryLock): boolean {
    const { blocks, context } = this.keys;
    return !this.locks.owns(lock) || context.words.load32(blocks.dataOf(lock.entry) + DIRTY) !== 0;
  }
}
