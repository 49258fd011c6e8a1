// A table in an arena: its mutex, its lists (entry-lists.ts) and its entries (entry-blocks.ts).

import { HandleError, hasCode, MisuseError, type Arena } from '@sluice/core';
import { asBlock, BLOCK_LINE, BLOCK_SIZE, BLOCK_TAG, FLAG_LAST, FLAGS, TAKEN } from '@sluice/core/format';
import { reserveStack } from '@sluice/core/calls';
import {
  asCorrupt,
  checkNotFreed,
  contextOf,
  finishPending,
  LOCK_LINE,
  readName,
  titleOf,
  type AgentContext,
  type ErrorShape,
  type LineState,
  type BlockRef,
  type Words,
  findPrimitive,
  handleTo,
  type Naming,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import type { Mutex } from '@sluice/mutex';
import { createMutexWithData, MUTEX, mutexAt, type MutexSteps } from '@sluice/mutex/internal';
import { EntryBlocks, type EntryKind } from './entry-blocks.ts';
import { TableMutex } from './table-mutex.ts';
import { hashOf, labelOf } from './key.ts';
import { BUCKETS_AT, ENOUGH, FORGETS, HEADS, IS_CLOSED, KEPT, MARK, PAYLOAD, SEED, USUAL_BUCKETS } from './layout.ts';
import { stepsOf } from './mutex-steps.ts';
import { enoughOf, EntryLists } from './entry-lists.ts';

/** The purpose of a table. */
export interface TableTraits extends Naming {
  readonly mark: number;
  readonly payload: number;
  /** The maximum number of unused entries that may stay. */
  readonly kept: number;
  readonly entries: EntryKind;
  /** The log2 of the number of its lists. Default: `USUAL_BUCKETS`. */
  readonly bucketsAt?: number;
  /** The text of a wait's errors. Default: that the lock could not be locked. */
  readonly wait?: Pick<ErrorShape, 'late' | 'untouched'>;
  /** Repairs the data behind the table, for the next owner of the table's mutex after an owner died. */
  repair?(keys: KeyTable): void;
}

/** Data behind a table, which its mutex guards. `fill` writes it before another agent can find the table. */
export interface TableData {
  readonly bytes: number;
  fill(words: Words, address: number): void;
}

/** Returns the address of a table's data, from that of its words. `bucketsAt`: the log2 of the number of its lists. */
function dataAfter(bucketsAt: number): number {
  return HEADS + 4 * 2 ** bucketsAt;
}

/**
 * An entry that this agent has found before. While its block still has the tag, the entry is in its list and its key is
 * unchanged.
 */
export interface KnownEntry {
  readonly entry: number;
  readonly tag: number;
}

export class KeyTable {
  readonly ref: BlockRef;
  readonly blocks: EntryBlocks;
  readonly table: EntryLists;
  /** Whether the next owner of a lock is not told that an owner died. */
  readonly forgets: boolean;
  readonly #guard: TableMutex;
  readonly #mutex: Mutex;
  // The line state for entering a free table. Its tag changes when this agent leaves the arena.
  readonly #lineState: LineState;
  readonly #lock: MutexSteps['lockMutex'];
  readonly #traits: TableTraits;
  readonly #name: string;
  readonly #seed: number;

  private constructor(mutex: Mutex, traits: TableTraits) {
    this.ref = mutex[LOCK_LINE].ref;
    this.#mutex = mutex;
    this.#lineState = mutex[LOCK_LINE].lineState;
    this.#lock = stepsOf(this.context).lockMutex;
    this.#traits = traits;
    const { words } = this.context;
    this.#name = readName(words, this.ref.address);
    this.#seed = words.get32(this.ref.address + BLOCK_LINE + SEED);
    this.forgets = words.get32(this.ref.address + BLOCK_LINE + FORGETS) !== 0;
    this.blocks = new EntryBlocks(this.ref, traits.entries, (key) => labelOf(this.#name, key));
    this.table = new EntryLists(this.blocks);
    this.#guard = new TableMutex(
      mutex,
      this.ref,
      () => {
        this.table.repair();
        traits.repair?.(this);
      },
      () => this.title,
    );
  }

  /** Creates a table. Throws the errors of a primitive's `create`. */
  static create(
    arena: Arena,
    name: string | undefined,
    traits: TableTraits,
    forgets: boolean,
    data?: TableData,
  ): KeyTable {
    const { mark, payload, kept, bucketsAt = USUAL_BUCKETS } = traits;
    const dataAt = dataAfter(bucketsAt);
    const mutex = createMutexWithData(
      { arena, name },
      {
        dataBytes: dataAt + (data?.bytes ?? 0),
        fill: (words, table) => {
          const own = table + BLOCK_LINE;
          words.put32(own + MARK, mark);
          words.put32(own + PAYLOAD, payload);
          words.put32(own + KEPT, kept);
          words.put32(own + FORGETS, forgets ? 1 : 0);
          words.put32(own + ENOUGH, enoughOf(kept, 0));
          words.put32(own + BUCKETS_AT, bucketsAt);
          words.put32(own + SEED, Math.floor(Math.random() * 2 ** 32));
          data?.fill(words, own + dataAt);
        },
      },
    );
    return new KeyTable(mutex, traits);
  }

  /**
   * Opens the table in a block that is in use as a mutex. Returns `undefined` if it is not a table with these traits.
   */
  static at(arena: Arena, block: number, traits: TableTraits): KeyTable | undefined {
    const context = contextOf(arena);
    const { words } = context;
    const isTable =
      (words.get32(block + FLAGS) & FLAG_LAST) !== 0 && words.get32(block + BLOCK_LINE + MARK) === traits.mark;
    return isTable
      ? new KeyTable(
          mutexAt({ arena, context, address: asBlock(block), tag: words.load32(block + BLOCK_TAG) }, arena.policy),
          traits,
        )
      : undefined;
  }

  /** Opens the table of a handle. Throws `HandleError`. */
  static open<Kind extends string>(handle: PrimitiveHandle<Kind>, kind: Kind, traits: TableTraits): KeyTable {
    const { arena, address } = findPrimitive(handle, kind, MUTEX.code);
    const keys = KeyTable.at(arena, address, traits);
    if (keys === undefined)
      throw new HandleError(`Not a handle of kind ${kind}: address ${address} holds another kind.`);
    return keys;
  }

  /** Returns a handle of that kind, with the compiled kernels that the table needs. */
  handle<Kind extends string>(kind: Kind): PrimitiveHandle<Kind> {
    return { ...handleTo(kind, this.ref), modules: this.#mutex.handle.modules };
  }

  /** How messages name the table. */
  get naming(): Naming {
    return this.#traits;
  }

  get context(): AgentContext {
    return this.ref.context;
  }

  get arena(): Arena {
    return this.ref.arena;
  }

  /** The address of the data behind the table, and the bytes from there to the end of the block. */
  get data(): { readonly address: number; readonly bytes: number } {
    const { words } = this.context;
    const own = this.ref.address + BLOCK_LINE;
    const dataAt = dataAfter(words.get32(own + BUCKETS_AT));
    const bytes = words.load32(this.ref.address + BLOCK_SIZE) - BLOCK_LINE - dataAt;
    return { address: own + dataAt, bytes };
  }

  /** The name given to `create`. */
  get name(): string {
    return this.#name;
  }

  /** The title for messages, such as "KeyedMutex 'accounts'". */
  get title(): string {
    return titleOf(this.#traits.className, this.ref);
  }

  hashOf(key: string): number {
    return hashOf(key, this.#seed);
  }

  /** Throws `MisuseError` if the table was freed, or this agent has left the arena. */
  checkThere(): void {
    checkNotFreed(this.ref, this.#traits.what);
  }

  /**
   * Enters the table if no other agent is in it and no other work is needed. Then call `leave`. Returns false if not:
   * then call `under`, which does that work, or throws.
   */
  enterNow(): boolean {
    reserveStack();
    const { block, tag } = this.#lineState;
    if (this.#lock(block, tag, this.context.id) !== TAKEN) return false;
    if (!this.#isClosed) return true;
    this.leave();
    return false;
  }

  leave(): void {
    this.#guard.leave();
  }

  /**
   * Whether the block of an entry is still the entry that this agent found. A replaced entry is closed: its block has
   * the negative tag.
   */
  isThere(known: KnownEntry | undefined): known is KnownEntry {
    return known !== undefined && this.context.words.load32(known.entry + BLOCK_TAG) === known.tag;
  }

  /** Runs `look` while no other agent is in the table. */
  under<T>(look: () => T): T {
    this.#enter();
    try {
      return look();
    } catch (failure) {
      throw asCorrupt(failure, this.title);
    } finally {
      this.#guard.leave();
    }
  }

  /**
   * Calls `look` with the entry of a key, or 0 if there is none, while no other agent is in the table. Returns its
   * result. `known` is the entry, if this agent has found it before. `mayBeInside`: this agent may already be in the
   * table. Otherwise that is an error of the program.
   */
  look<T>(key: string, known: KnownEntry | undefined, mayBeInside: boolean, look: (entry: number) => T): T {
    const find = (): T => look(this.isThere(known) ? known.entry : this.table.find(key, this.hashOf(key)));
    return mayBeInside && this.#mutex.owned ? find() : this.under(find);
  }

  /**
   * Calls `act` with the entry of a key, and returns its result. Creates the entry if there is none. `known` is the
   * entry, if this agent has found it before. `act` may use its lock.
   */
  visit<T>(key: string, known: KnownEntry | undefined, act: (entry: number) => T): T {
    this.#enter();
    let entry = 0;
    let isDone = false;
    try {
      entry = this.isThere(known) ? known.entry : this.table.take(key, this.hashOf(key));
      const made = act(entry);
      isDone = true;
      return made;
    } catch (failure) {
      throw asCorrupt(failure, this.title);
    } finally {
      try {
        if (!isDone && entry !== 0) this.table.tidy(entry);
      } finally {
        this.#guard.leave();
      }
    }
  }

  /** Ends a use of a key's entry after a wait that was given up: see `EntryLists.tidy`. */
  tidy(key: string): void {
    this.afterWait(() => {
      const entry = this.table.find(key, this.hashOf(key));
      if (entry !== 0) this.table.tidy(entry);
    });
  }

  /**
   * Runs `act` as `under` does, after a wait that failed. Does nothing if the table was freed: the caller gets the
   * error of the wait.
   */
  afterWait(act: () => void): void {
    try {
      this.under(act);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_MISUSE')) throw failure;
    }
  }

  /** Frees the table. `refusal` creates the error if an entry is in use. */
  free(refusal: (entry: number) => Error): void {
    this.under(() => {
      if (this.table.hasReplaced) this.table.collect();
      // Before the sweep, so that a call that throws changes nothing.
      for (const entry of this.table.all()) if (!this.blocks.isFree(entry, true)) throw refusal(entry);
      this.table.sweep(true);
      const [entry] = this.table.all();
      if (entry !== undefined) throw refusal(entry);
      this.context.words.store32(this.ref.address + BLOCK_LINE + IS_CLOSED, 1);
    });
    // Agents that already wait for the mutex find the table closed, and unlock the mutex at once.
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
      // Another agent owns the mutex for a moment, or waits for it.
      if (hasCode(failure, 'SLUICE_MISUSE') && this.context.words.load32(this.ref.address + BLOCK_TAG) === this.ref.tag)
        return false;
      throw failure;
    }
  }

  get #isClosed(): boolean {
    return this.context.words.get32(this.ref.address + BLOCK_LINE + IS_CLOSED) !== 0;
  }

  #enter(): void {
    this.checkThere();
    // Before the mutex is taken: a call that could not finish its work in the table would leave the mutex locked.
    reserveStack();
    // Also for calls that only read: a dead agent's lock becomes free as soon as any agent can recover it.
    finishPending(this.context);
    this.#guard.enter();
    if (!this.#isClosed) return;
    this.#guard.leave();
    throw new MisuseError(
      `${this.#traits.what}${this.#name === '' ? '' : ` '${this.#name}'`} was freed and cannot be used any more.`,
    );
  }
}
