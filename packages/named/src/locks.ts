// A table in an arena, and the locks of its names: what `named` and the keyed mutex share.
//
// An agent finds or makes an entry and takes its lock, or draws a ticket, while it owns the mutex of the table (table.ts). It waits without that mutex.
// From the ticket on the core knows that it waits: if it dies, its place is passed on as at any mutex.

import { MisuseError, type Arena, type WaitOptions } from '@sluice/core';
import {
  Account,
  asBlock,
  awaitInLine,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_SIZE,
  BLOCK_TAG,
  blockInLine,
  blocks,
  checkNotFreed,
  CONSISTENT,
  contextOf,
  CREATE_WITH_DATA,
  finishPending,
  FLAG_LAST,
  FLAGS,
  freePrimitive,
  HEALTH,
  isElement,
  kindCode,
  LOCK_LINE,
  LockHealth,
  MODE_ASYNC,
  NOT_SEEN,
  OFFICE,
  OPEN_AT,
  readName,
  SHUT,
  TAKEN,
  titleOf,
  untilWon,
  WAITING,
  type AgentContext,
  type Enqueue,
  type LockLine,
  type Place,
} from '@sluice/core/internal';
import { Mutex, type MutexHandle } from '@sluice/mutex';
import type { enqueueAtMutex } from '@sluice/mutex/kernel';
import { Guard } from './guard.ts';
import { hashOf, labelOf } from './key.ts';
import { BUCKETS_AT, ENOUGH, FEWEST, FORGETS, HEADS, IS_CLOSED, MARK, PAYLOAD, TABLE, TABLE_TAG, USUAL_BUCKETS } from './layout.ts';
import { Table, type Ground } from './table.ts';

const MUTEX_CODE = /* @__PURE__ */ kindCode('mutex');
/** The bit of OFFICE's high half that says that an owner died, and the one that says that it did not know that it was one. */
const AFTER_DEATH = 3;
/** Opened locks that are kept for the next calls. */
const MOST_OPENED = 64;

/** What a table is for. */
export interface TableTraits {
  readonly mark: number;
  readonly payload: number;
  /** For messages: the class of the locks, and what messages call the table. */
  readonly className: string;
  readonly what: string;
  readonly buckets?: number;
}

/** The lock of an entry, opened. */
export interface EntryLock {
  readonly entry: number;
  readonly mutex: Mutex;
  readonly line: LockLine;
  readonly account: Account;
}

interface MutexSteps {
  readonly enqueueAtMutex: typeof enqueueAtMutex;
}

export class Locks {
  readonly place: Place;
  readonly table: Table;
  readonly #guard: Guard;
  readonly #mutex: Mutex;
  readonly #traits: TableTraits;
  readonly #name: string;
  readonly #forgets: boolean;
  readonly #opened = new Map<number, EntryLock>();

  private constructor(mutex: Mutex, traits: TableTraits) {
    this.place = mutex[LOCK_LINE].place;
    this.#mutex = mutex;
    this.#traits = traits;
    const { words } = this.context;
    this.#name = readName(words, this.place.address);
    this.#forgets = words.get32(this.place.address + BLOCK_LINE + FORGETS) !== 0;
    this.table = new Table(this.#groundIn());
    this.#guard = new Guard(mutex, this.place, () => this.table.repair(), () => this.title);
  }

  /** Makes a table. `forgets`: the next owner of a lock is not told that an owner died. Throws as the `create` of a primitive does. */
  static create(arena: Arena, name: string | undefined, traits: TableTraits, forgets: boolean): Locks {
    const { mark, payload, buckets = USUAL_BUCKETS } = traits;
    const bytes = HEADS + 4 * 2 ** buckets;
    const mutex = Mutex[CREATE_WITH_DATA]({ arena, name }, {
      bytes,
      fill: (words, table) => {
        const own = table + BLOCK_LINE;
        words.put32(own + MARK, mark);
        words.put32(own + PAYLOAD, payload);
        words.put32(own + FORGETS, forgets ? 1 : 0);
        words.put32(own + ENOUGH, FEWEST);
        words.put32(own + BUCKETS_AT, buckets);
      },
    });
    return new Locks(mutex, traits);
  }

  /** The table in a block that is in use as a mutex. `undefined`: it is no table of these traits. */
  static at(arena: Arena, block: number, traits: TableTraits): Locks | undefined {
    const context = contextOf(arena);
    const { words } = context;
    const isTable = (words.get32(block + FLAGS) & FLAG_LAST) !== 0 && words.get32(block + BLOCK_LINE + MARK) === traits.mark;
    return isTable ? new Locks(Mutex[OPEN_AT]({ arena, context, address: asBlock(block), tag: words.load32(block + BLOCK_TAG) }), traits) : undefined;
  }

  get context(): AgentContext {
    return this.place.context;
  }

  get arena(): Arena {
    return this.place.arena;
  }

  /** The compiled kernels that handles of the table carry. */
  get modules(): MutexHandle['modules'] {
    return this.#mutex.handle.modules;
  }

  /** The name from `create`. */
  get name(): string {
    return this.#name;
  }

  /** As "KeyedMutex 'accounts'". */
  get title(): string {
    return titleOf(this.#traits.className, this.place);
  }

  /** Throws `MisuseError` if it was freed, or this agent has left the arena. */
  checkThere(): void {
    checkNotFreed(this.place, this.#traits.what);
  }

  /** Runs `look` while no other agent is in the table. */
  under<T>(look: () => T): T {
    this.#enter();
    try {
      return look();
    } finally {
      this.#guard.leave();
    }
  }

  /** What `look` makes of the entry of a key, 0 if there is none, while no other agent is in the table. */
  look<T>(key: string, look: (entry: number) => T): T {
    return this.under(() => look(this.table.find(key, hashOf(key))));
  }

  /** Whether no agent owns the lock of an entry or waits for it. */
  isIdle(entry: number): boolean {
    const { words } = this.context;
    return words.load32(entry + OFFICE) === 0 && (words.load32(entry + OFFICE + 4) & ~AFTER_DEATH) === 0;
  }

  /** The lock of an entry. */
  open(entry: number): EntryLock {
    const { arena, context } = this;
    const tag = context.words.load32(entry + BLOCK_TAG);
    const known = this.#opened.get(entry);
    if (known?.line.place.tag === tag) return known;
    return this.#keep(Mutex[OPEN_AT]({ arena, context, address: asBlock(entry), tag }));
  }

  /** Whether this agent owns a key's lock, as far as it can tell without the mutex of the table. */
  owns({ entry, line }: EntryLock): boolean {
    const { words, id } = this.context;
    return words.load32(entry + BLOCK_TAG) === line.place.tag && words.load32(entry + OFFICE) === id;
  }

  /** The lock of a key if this agent owns it. */
  owned(key: string): EntryLock | undefined {
    return this.look(key, (entry) => (entry !== 0 && this.context.words.load32(entry + OFFICE) === this.context.id ? this.open(entry) : undefined));
  }

  /**
   * Takes the lock of a key, and waits for at most `timeoutMs`. Returns `undefined` if it timed out. `before`: called first with the entry, under the
   * mutex of the table; if it returns true, the call ends without the lock. Throws `MisuseError` if this agent owns it and would wait for ever.
   */
  take(key: string, timeoutMs: number, before?: (entry: number) => boolean): EntryLock | undefined {
    const hash = hashOf(key);
    for (;;) {
      const found = this.#visit(key, hash, (lock) => this.#draw(lock, timeoutMs), before);
      if (found === undefined) return undefined;
      const { lock, drawn } = found;
      let outcome: Enqueue;
      try {
        outcome = blockInLine(this.context, lock.line.localState, drawn, this.arena.policy, timeoutMs, lock.account);
      } catch (failure) {
        this.#tidy(key);
        throw failure;
      }
      if (outcome === TAKEN) return this.#taken(lock);
      if (outcome !== SHUT) {
        if (isElement(drawn)) this.#tidy(key);
        return undefined;
      }
      this.checkThere();
    }
  }

  /** As `take`, without blocking. Calls `entered` in the turn in which the lock is taken; `undefined`: because of `before`. Rejects as a wait does. */
  async takeAsync(key: string, options: WaitOptions, entered: (lock: EntryLock | undefined) => void, before?: (entry: number) => boolean): Promise<void> {
    const hash = hashOf(key);
    let isIn = false;
    const enter = (lock: EntryLock): void => {
      isIn = true;
      entered(this.#taken(lock));
    };
    const found = this.#visit(key, hash, (lock) => this.#awaitAt(lock, options, enter), before);
    if (found === undefined) {
      entered(undefined);
      return;
    }
    const { lock, drawn } = found;
    if (drawn === TAKEN) {
      enter(lock);
      return;
    }
    let outcome: Enqueue;
    try {
      outcome = await drawn;
    } catch (failure) {
      if (!isIn) this.#tidy(key);
      throw failure;
    }
    if (outcome !== SHUT) return;
    this.checkThere();
    throw new MisuseError(`${this.title}: the lock was freed during the wait. It was not locked.`);
  }

  /** Unlocks the lock of a key, and removes the entry if it is unused. Throws `MisuseError` if this agent does not own it. */
  release(key: string, title: () => string): void {
    this.look(key, (entry) => {
      if (entry === 0) throw new MisuseError(`${title()} cannot be unlocked: this agent (agent ${this.context.id}) does not own it. Owned by no agent.`);
      const { mutex, account } = this.open(entry);
      if (this.context.words.load32(entry + OFFICE) !== this.context.id) throw account.notOwner('be unlocked');
      mutex.unlock();
      this.table.tidy(entry);
    });
  }

  /** Frees the table. Throws `MisuseError` while an entry is in use. */
  free(): void {
    this.under(() => {
      this.table.sweep(true);
      const [entry] = this.table.entries();
      if (entry !== undefined) throw this.open(entry).account.inUse(` ${this.title} was not freed.`);
      this.context.words.store32(this.place.address + BLOCK_LINE + IS_CLOSED, 1);
    });
    // Agents that already wait for the mutex find the table closed, and unlock at once.
    while (!this.#isFreed()) {
      this.#guard.enter();
      this.#guard.leave();
    }
  }

  #isFreed(): boolean {
    try {
      this.#mutex.free();
      return true;
    } catch (failure) {
      if (this.#isClosed) return false;
      throw failure;
    }
  }

  get #isClosed(): boolean {
    return this.context.words.load32(this.place.address + BLOCK_LINE + IS_CLOSED) !== 0;
  }

  #enter(): void {
    this.checkThere();
    this.#guard.enter();
    if (!this.#isClosed) return;
    this.#guard.leave();
    throw new MisuseError(`${this.#traits.what}${this.#name === '' ? '' : ` '${this.#name}'`} was freed and cannot be used any more.`);
  }

  /** Finds or makes the entry of a key, and does `act` with its lock. If it throws, the entry is removed if it is unused. */
  #visit<Drawn>(key: string, hash: number, act: (lock: EntryLock) => Drawn, before?: (entry: number) => boolean): { readonly lock: EntryLock; readonly drawn: Drawn } | undefined {
    this.#enter();
    let entry = 0;
    let isDone = false;
    try {
      entry = this.table.find(key, hash);
      if (entry === 0) entry = this.table.insert(key, hash);
      if (before?.(entry) === true) return undefined;
      const lock = this.open(entry);
      const drawn = act(lock);
      isDone = true;
      return { lock, drawn };
    } finally {
      if (!isDone && entry !== 0) this.table.tidy(entry);
      this.#guard.leave();
    }
  }

  /** Takes the lock if it is free, or draws a ticket. WAITING: with a timeout of 0. */
  #draw(lock: EntryLock, timeoutMs: number): Enqueue {
    const drawn = this.#visitOffice(lock, 0);
    if (drawn !== WAITING || timeoutMs === 0) return drawn;
    if (timeoutMs === Infinity && this.owns(lock)) throw lock.account.ownedAlready();
    this.context.refill();
    return this.#visitOffice(lock, 1);
  }

  #awaitAt(lock: EntryLock, options: WaitOptions, entered: (lock: EntryLock) => void): typeof TAKEN | Promise<Enqueue> {
    if (this.#visitOffice(lock, 0) === TAKEN) return TAKEN;
    const { line: { localState }, account } = lock;
    if (options.timeout === 0) throw account.timedOut(0, 0);
    const draw = (): Enqueue => {
      this.context.refill(MODE_ASYNC);
      const drawn = this.#visitOffice(lock, 1);
      return isElement(drawn) ? this.context.begin(drawn, localState.entry, MODE_ASYNC) : drawn;
    };
    return awaitInLine<Enqueue>(this.context, localState, draw, options, account, () => entered(lock));
  }

  #visitOffice({ line: { place: { address, tag } } }: EntryLock, mayWait: number): Enqueue {
    const { context } = this;
    const steps = context.kernel as unknown as MutexSteps;
    for (;;) {
      const drawn = untilWon(() => steps.enqueueAtMutex(address, tag, context.agent, mayWait, NOT_SEEN));
      if (drawn !== WAITING || !finishPending(context)) return drawn;
    }
  }

  /** Right after the lock was taken. */
  #taken(lock: EntryLock): EntryLock {
    const { words } = this.context;
    if (this.#forgets && words.load32(lock.entry + HEALTH) !== CONSISTENT) new LockHealth(words, lock.entry).markConsistent();
    return lock;
  }

  /** After a wait that was given up: removes the entry if no agent uses it any more. */
  #tidy(key: string): void {
    this.look(key, (entry) => {
      if (entry !== 0) this.table.tidy(entry);
    });
  }

  #keep(mutex: Mutex): EntryLock {
    const line = mutex[LOCK_LINE];
    const entry = line.place.address;
    const account = new Account({ className: this.#traits.className, late: 'could not be locked', untouched: 'It was not locked.', ordered: true }, line.place);
    const lock = { entry, mutex, line, account };
    if (this.#opened.size >= MOST_OPENED) this.#opened.clear();
    this.#opened.set(entry, lock);
    return lock;
  }

  #groundIn(): Ground {
    const { arena, place } = this;
    const { words } = place.context;
    return {
      words,
      table: place.address,
      tag: place.tag,
      dataOf: (block) => block + BLOCK_LINE,
      create: (bytes, key, fill) => {
        const mutex = Mutex[CREATE_WITH_DATA]({ arena, name: labelOf(this.#name, key), order: 'fifo' }, { bytes, fill: (_, lock) => fill(lock + BLOCK_LINE) });
        return this.#keep(mutex).entry;
      },
      free: (entry) => {
        // No agent can take it any more: it is in no list.
        freePrimitive({ arena, context: place.context, address: asBlock(entry), tag: words.load32(entry + BLOCK_TAG) }, 'The lock of a key');
        this.#opened.delete(entry);
      },
      isFree: (entry, despiteDeath) => this.isIdle(entry) && (despiteDeath || words.load32(entry + OFFICE + 4) === 0),
      everyEntry: () => entriesIn(place),
    };
  }
}

/** The entries of a table among all blocks of the arena. */
function* entriesIn({ context: { words }, address, tag }: Place): Generator<number> {
  for (const block of blocks(words)) {
    const isMutex = words.load32(block + BLOCK_KIND) === MUTEX_CODE && words.load32(block + BLOCK_TAG) > 0;
    if (!isMutex || (words.get32(block + FLAGS) & FLAG_LAST) === 0 || words.load32(block + BLOCK_SIZE) <= BLOCK_LINE) continue;
    const data = block + BLOCK_LINE;
    if (words.load32(data + TABLE) === address && words.load32(data + TABLE_TAG) === tag) yield block;
  }
}
