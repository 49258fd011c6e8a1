// A table whose entries are mutexes, for `named` and the keyed mutex.
//
// An agent takes the mutex of an entry, or draws a ticket, while it owns the mutex of the table (entry-lists.ts). It
// waits without the mutex of the table. Once it has a ticket, the core knows of the wait: if the agent dies, its place
// is passed on as at any mutex.

import { MisuseError, type Arena, type WaitOptions } from '@sluice/core';
import {
  BLOCK_LINE,
  BLOCK_TAG,
  CONSISTENT,
  HEALTH,
  IDLE,
  MODE_ASYNC,
  NOT_SEEN,
  OFFICE,
  SHUT,
  TAKEN,
  WAITING,
  type Enqueue,
} from '@sluice/core/format';
import {
  PrimitiveErrors,
  awaitInLine,
  blockInLine,
  finishPending,
  isElement,
  LOCK_LINE,
  LockHealth,
  retryOrThrow,
  retryWhileRaced,
  type AgentContext,
  type ErrorShape,
  type LockLine,
} from '@sluice/core/internal';
import type { Mutex } from '@sluice/mutex';
import { createMutex, isUnusedMutex, MUTEX, mutexAt, type MutexSteps } from '@sluice/mutex/internal';
import type { EntryKind } from './entry-blocks.ts';
import type { KnownEntry, KeyTable, TableTraits } from './key-table.ts';
import { USUALLY_KEPT } from './layout.ts';
import { stepsOf } from './mutex-steps.ts';

/**
 * The number of opened locks that are kept for later calls. Opening a lock takes longer than locking and unlocking it.
 */
const MAX_OPENED = 2 * USUALLY_KEPT;

const COULD_NOT_LOCK = { late: 'could not be locked', untouched: 'It was not locked.' };

export const MUTEXES: EntryKind = {
  get code() {
    return MUTEX.code;
  },
  create: (arena, name, bytes, fill) =>
    createMutex(
      MUTEX,
      { arena, name, order: 'fifo' },
      { dataBytes: bytes, fill: (_, lock) => fill(lock + BLOCK_LINE) },
    )[0].address,
  isFree: ({ words }, entry, despiteDeath) => isUnusedMutex(words, entry, despiteDeath),
};

/** The opened lock of an entry. */
export interface EntryLock extends KnownEntry {
  readonly mutex: Mutex;
  readonly line: LockLine;
  readonly errors: PrimitiveErrors;
}

export class Locks {
  readonly keys: KeyTable;
  readonly #shape: ErrorShape;
  readonly #opened = new Map<number, EntryLock>();
  /** The locks of the last calls, by key. */
  readonly #ofKeys = new Map<string, EntryLock>();

  readonly #lock: MutexSteps['lockMutex'];
  readonly #unlock: MutexSteps['unlockMutex'];

  constructor(keys: KeyTable, { className, wait = COULD_NOT_LOCK }: TableTraits) {
    this.keys = keys;
    this.#shape = { className, ...wait, ordered: true };
    const { lockMutex, unlockMutex } = stepsOf(keys.context);
    this.#lock = lockMutex;
    this.#unlock = unlockMutex;
  }

  get context(): AgentContext {
    return this.keys.context;
  }

  get arena(): Arena {
    return this.keys.arena;
  }

  open(entry: number): EntryLock {
    const tag = this.context.words.load32(entry + BLOCK_TAG);
    const known = this.#opened.get(entry);
    if (known?.tag === tag) return known;
    const mutex = mutexAt(this.keys.blocks.refOf(entry), this.arena.policy);
    const line = mutex[LOCK_LINE];
    const errors = new PrimitiveErrors(this.#shape, line.ref);
    const lock = { entry, tag, mutex, line, errors };
    if (this.#opened.size >= MAX_OPENED) this.#opened.clear();
    this.#opened.set(entry, lock);
    return lock;
  }

  /** Whether this agent owns a lock, as far as it can tell without the mutex of the table. */
  owns({ entry, tag }: EntryLock): boolean {
    const { words, id } = this.context;
    return words.load32(entry + BLOCK_TAG) === tag && words.load32(entry + OFFICE) === id;
  }

  /** Returns the lock of a key if this agent owns it. */
  owned(key: string): EntryLock | undefined {
    const known = this.#ofKeys.get(key);
    return this.keys.look(key, known, false, (entry) =>
      entry !== 0 && this.context.words.load32(entry + OFFICE) === this.context.id
        ? this.#lockOf(key, entry, known)
        : undefined,
    );
  }

  /**
   * Takes the lock of a key that this agent has used before, if the lock is free and the table needs no other work.
   * Returns `undefined` if not: then call `take`, which does that work, or throws.
   */
  takeNow(key: string): EntryLock | undefined {
    const { keys } = this;
    const known = this.#ofKeys.get(key);
    if (known === undefined || !keys.enterNow()) return undefined;
    try {
      if (!keys.isThere(known)) return undefined;
      // A lock with a notice for its next owner is not taken here.
      return this.#lock(known.line.lineState.block, known.tag, this.context.id) === TAKEN ? known : undefined;
    } finally {
      keys.leave();
    }
  }

  /**
   * Unlocks a key if this agent owns it, no agent waits for it, and its entry stays in the table. Returns false if not:
   * then call `release`. `known` is its lock, if this agent has found it before.
   */
  releaseNow(key: string, known = this.#ofKeys.get(key)): boolean {
    if (known === undefined || !this.keys.table.stays(known.entry)) return false;
    // The tag of the line state changes when this agent leaves the arena. The tag of the block changes when the entry
    // is freed.
    const { block, tag } = known.line.lineState;
    return this.#unlock(block, tag, this.context.id) === IDLE;
  }

  /**
   * Takes the lock of a key, waiting for at most `timeoutMs`. Returns `undefined` if it timed out.
   *
   * First it calls `before` with the entry, under the mutex of the table. If `before` returns true, the call ends
   * without the lock. Throws `MisuseError` if this agent owns the lock and would wait for ever.
   */
  take(key: string, timeoutMs: number, before?: (entry: number) => boolean): EntryLock | undefined {
    for (let tries = 1; ; tries++) {
      const known = this.#ofKeys.get(key);
      const found = this.keys.visit(key, known, (entry) =>
        before?.(entry) === true ? undefined : this.#draw(this.#lockOf(key, entry, known), timeoutMs),
      );
      if (found === undefined) return undefined;
      const { lock, drawn } = found;
      let outcome: Enqueue;
      try {
        outcome = blockInLine(this.context, lock.line.lineState, drawn, this.arena.policy, timeoutMs, lock.errors);
      } catch (failure) {
        this.keys.tidy(key);
        throw failure;
      }
      if (outcome === TAKEN) return this.#taken(lock);
      if (outcome !== SHUT) {
        if (isElement(drawn)) this.keys.tidy(key);
        return undefined;
      }
      this.keys.checkThere();
      // Another agent freed the entry. The retries are bounded, because with damaged memory they would never end.
      retryOrThrow(tries, lock.errors);
    }
  }

  /**
   * Takes the lock of a key as `take` does, without blocking. Calls `entered` in the turn in which the lock is taken,
   * with `undefined` if `before` ended the call. Rejects with the errors of a wait.
   */
  async takeAsync(
    key: string,
    options: WaitOptions,
    entered: (lock: EntryLock | undefined) => void,
    before?: (entry: number) => boolean,
  ): Promise<void> {
    if (await this.awaitTurn(key, options, entered, before)) return;
    this.keys.checkThere();
    throw new MisuseError(`${this.keys.title}: the lock was freed during the wait. It was not locked.`);
  }

  /**
   * Takes the lock of a key as `takeAsync` does. Resolves with false, without the lock, if the lock was freed during
   * the wait.
   */
  async awaitTurn(
    key: string,
    options: WaitOptions,
    entered: (lock: EntryLock | undefined) => void,
    before?: (entry: number) => boolean,
  ): Promise<boolean> {
    if (options.timeout === 0) await this.context.budget.done();
    const state = { isIn: false, isUnder: true };
    const enter = (lock: EntryLock): void => {
      state.isIn = true;
      // A recovery may hand the lock over while this agent is in the table. `entered` may have to enter the table
      // again.
      if (!state.isUnder) entered(this.#taken(lock));
    };
    const known = this.#ofKeys.get(key);
    const found = this.keys.visit(key, known, (entry) => {
      if (before?.(entry) === true) return undefined;
      const lock = this.#lockOf(key, entry, known);
      return { lock, drawn: this.#awaitAt(lock, options, enter) };
    });
    state.isUnder = false;
    if (found === undefined) {
      entered(undefined);
      const later = this.context.budget.spend();
      if (later !== undefined) await later;
      return true;
    }
    const { lock, drawn } = found;
    if (drawn === TAKEN || state.isIn) enter(lock);
    if (drawn === TAKEN) {
      const later = this.context.budget.spend();
      if (later !== undefined) await later;
      return true;
    }
    let outcome: Enqueue;
    try {
      outcome = await drawn;
    } catch (failure) {
      if (!state.isIn) this.keys.tidy(key);
      throw failure;
    }
    return outcome !== SHUT;
  }

  /**
   * Unlocks the lock of a key, and removes the entry if it is unused. `isInside`: this agent may already be in the
   * table, where a recovery has handed it a lock that it refuses. Throws `MisuseError` if this agent does not own the
   * lock.
   */
  release(key: string, title: () => string, isInside = false): void {
    const known = this.#ofKeys.get(key);
    this.keys.look(key, known, isInside, (entry) => {
      if (entry === 0)
        throw new MisuseError(
          `${title()} cannot be unlocked: this agent (agent ${this.context.id}) does not own it. Owned by no agent.`,
        );
      const { mutex, errors } = this.#lockOf(key, entry, known);
      if (this.context.words.load32(entry + OFFICE) !== this.context.id) throw errors.notOwner('be unlocked');
      mutex.unlock();
      this.keys.table.tidy(entry);
    });
  }

  /** Frees the table. Throws `MisuseError` while a key is in use. */
  free(): void {
    this.keys.free((entry) => this.open(entry).errors.inUse());
  }

  /** Returns the lock of an entry that has that key. `known` is the lock that this agent found there before. */
  #lockOf(key: string, entry: number, known: EntryLock | undefined): EntryLock {
    if (known?.entry === entry && known.tag === this.context.words.load32(entry + BLOCK_TAG)) return known;
    const lock = this.open(entry);
    if (this.#ofKeys.size >= MAX_OPENED) this.#ofKeys.clear();
    this.#ofKeys.set(key, lock);
    return lock;
  }

  /** Takes the lock if it is free, or draws a ticket. WAITING: the lock is not free and the timeout is 0. */
  #draw(lock: EntryLock, timeoutMs: number): { readonly lock: EntryLock; readonly drawn: Enqueue } {
    const drawn = this.#visitOffice(lock, 0);
    if (drawn !== WAITING || timeoutMs === 0) return { lock, drawn };
    if (timeoutMs === Infinity && this.owns(lock)) throw lock.errors.ownedAlready();
    this.context.refill();
    return { lock, drawn: this.#visitOffice(lock, 1) };
  }

  #awaitAt(lock: EntryLock, options: WaitOptions, entered: (lock: EntryLock) => void): typeof TAKEN | Promise<Enqueue> {
    if (this.#visitOffice(lock, 0) === TAKEN) return TAKEN;
    const {
      line: { lineState },
      errors,
    } = lock;
    if (options.timeout === 0) throw errors.timedOut(0, 0);
    const draw = (): Enqueue => {
      this.context.refill(MODE_ASYNC);
      const drawn = this.#visitOffice(lock, 1);
      return isElement(drawn) ? this.context.begin(drawn, lineState.entry, MODE_ASYNC) : drawn;
    };
    return handled(awaitInLine<Enqueue>(this.context, lineState, draw, options, errors, () => entered(lock)));
  }

  #visitOffice(
    {
      line: {
        ref: { address, tag },
      },
    }: EntryLock,
    mayWait: number,
  ): Enqueue {
    const { context } = this;
    const steps = stepsOf(context);
    for (;;) {
      const drawn = retryWhileRaced(() => steps.enqueueAtMutex(address, tag, context.agent, mayWait, NOT_SEEN));
      if (drawn !== WAITING || !finishPending(context)) return drawn;
    }
  }

  /** Records a lock that was just taken. */
  #taken(lock: EntryLock): EntryLock {
    const { words } = this.context;
    if (this.keys.forgets && words.load32(lock.entry + HEALTH) !== CONSISTENT)
      new LockHealth(words, lock.entry).markConsistent();
    return lock;
  }
}

/** Marks a promise as handled, so that its rejection is reported only to a caller that awaits it. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
