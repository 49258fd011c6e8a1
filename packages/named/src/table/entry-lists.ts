// The table that leads from a name to its entry. An entry is a lock with the name behind it, in one of the lists of the
// table.
//
// The owner of the table's mutex calls the functions here. The owner of an entry's lock may also call `stays`. The
// mutex guards all words of the table and of its entries, except STATE and the words of the locks. So loads of guarded
// words are plain. Stores are atomic, so that after a death the writes appear in program order.
//
//   made       create · NEXT = first · head = entry          from the last write on the entry can be found
//   used       its lock is taken, or a ticket drawn, under the mutex
//   resident   RESIDENTS + 1 · STATE = IS_RESIDENT           once it is unused, while there are fewer than KEPT, unless
//                                                            its name is long
//   removed    link before it = NEXT · free                  only while it is unused
//   replaced   create · NEXT = its NEXT · STATE = 0 ·        while it is used: it is in no list then, and freed when it
//              RESIDENTS - 1 · link before it = the new one  is unused
//
// INVARIANTS
//
//   1. A list changes by one write, so the lists are whole after every write. An agent that dies between two writes
//      leaves an entry in no list, or an unused entry in a list. `repair` frees both. The next owner of the mutex calls
//      `repair` before anything else. A replaced entry is in no list while it is used, and `repair` leaves it to its
//      users. `repair` removes unused residents, and counts the other residents.
//   2. An agent takes the lock of an entry, or draws a ticket, only while it owns the mutex. So an entry that is unused
//      while an agent owns the mutex stays unused until the agent unlocks it. Outside the mutex, only the owner and the
//      waiters of an entry have its address. A used entry may become unused at any time.
//   3. A resident stays a resident until it is removed or replaced. So a release of its lock needs no change in the
//      table, and the owner releases it without the mutex. If a lock may be stolen, its owner checks STATE again after
//      the release. `replace` changes STATE before the stealing agent checks whether the old entry is used. So either
//      the owner sees the new STATE, or the stealing agent sees the release.
//   4. Two entries of a table never have the same name: `insert` follows a `find` under one ownership of the mutex.

import { hasCode } from '@sluice/core';
import { BLOCK_LINE, HEADER_TOP } from '@sluice/core/format';
import { corrupt, type Words } from '@sluice/core/internal';
import { MAX_UNITS } from './key.ts';
import {
  BUCKETS_AT,
  ENOUGH,
  FEW_ENTRIES,
  FEWEST,
  FORGETS,
  HASH,
  HEADS,
  INSERTED,
  IS_READY,
  IS_RESIDENT,
  KEPT,
  LENGTH,
  MAX_BUCKETS_AT,
  MADE_FOR_EACH_KEPT,
  MAX_PAYLOAD,
  MAX_RESIDENT_UNITS,
  NEXT,
  PAYLOAD,
  PAYLOAD_AT,
  REPLACED,
  RESIDENTS,
  STATE,
  TABLE,
  TABLE_TAG,
} from './layout.ts';
import { bytesOf, isKeyAt, readKey, writeKey } from './stored-key.ts';

/**
 * The operations on the arena that a table uses. Addresses are those of blocks. `dataOf` leads to the words of
 * layout.ts.
 */
export interface TableMemory {
  readonly words: Pick<Words, 'load32' | 'store32' | 'get32' | 'put32'>;
  readonly table: number;
  readonly tag: number;
  dataOf(block: number): number;
  /**
   * Creates a free lock with `bytes` of data. `fill` writes the data before another agent can find the lock. Throws
   * `ArenaFullError`.
   */
  create(bytes: number, key: string, fill: (data: number) => void): number;
  free(entry: number): void;
  /**
   * Whether no agent owns the lock or waits for it. With `despiteDeath`, a lock whose next owner would be told of a
   * death counts as free, too.
   */
  isFree(entry: number, despiteDeath: boolean): boolean;
  /** Yields every entry of the table, including entries in no list. */
  everyEntry(): Iterable<number>;
  /** Gives up an entry after a death: it is used, and in no list because another entry has replaced it. */
  abandon(entry: number): void;
}

export class EntryLists {
  readonly #ground: TableMemory;

  constructor(ground: TableMemory) {
    this.#ground = ground;
  }

  /** Returns the entry of a key, 0 if there is none. */
  find(key: string, hash: number): number {
    const { words } = this.#ground;
    let entry = words.get32(this.#headOf(hash));
    for (let steps = 0; entry !== 0 && !this.#isOf(entry, key, hash); steps++) entry = this.#next(entry, steps);
    return entry;
  }

  /** Returns the entry of a key, for a use of its lock. Creates the entry if there is none. Throws `ArenaFullError`. */
  take(key: string, hash: number): number {
    const entry = this.find(key, hash);
    return entry === 0 ? this.insert(key, hash) : entry;
  }

  /**
   * Whether the entry is a resident. Then a release of its lock changes nothing in the table. For the owner of the
   * mutex or of the lock.
   */
  stays(entry: number): boolean {
    return this.#ground.words.load32(this.#data(entry) + STATE) === IS_RESIDENT;
  }

  /** Creates the entry of a key that has none. Throws `ArenaFullError`. */
  insert(key: string, hash: number): number {
    const { words, table } = this.#ground;
    const own = this.#data(table);
    // This also removes residents that have been unused for long.
    if (words.get32(own + INSERTED) >= words.get32(own + ENOUGH)) this.sweep();
    const head = this.#headOf(hash);
    const entry = this.#withRoom(() => this.#make(key, hash, words.get32(head)));
    // Written last: from here on other agents can find the entry.
    words.store32(head, entry);
    words.store32(own + INSERTED, words.get32(own + INSERTED) + 1);
    return entry;
  }

  /** Replaces a used entry by a new entry of the same key. */
  replace(old: number, key: string, hash: number): number {
    const { words } = this.#ground;
    const entry = this.#withRoom(() => this.#make(key, hash, words.get32(this.#data(old) + NEXT)), old);
    // Before the entry leaves its list: from then on only a walk over all blocks finds it.
    words.store32(this.#data(this.#ground.table) + REPLACED, 1);
    if (this.stays(old)) {
      // Before the entry leaves its list: if the agent dies in between, the entry stays there as an ordinary entry.
      words.store32(this.#data(old) + STATE, 0);
      this.#countResidents(-1);
    }
    words.store32(this.#linkTo(old), entry);
    return entry;
  }

  /**
   * Removes an entry that is in use, and ends all waits for its lock. For the owner of that lock: no other agent may
   * use the lock meanwhile. If the agent dies in between, the entry is in no list, and its next owners use it up.
   */
  drop(entry: number): void {
    const { words, table } = this.#ground;
    // Before the entry leaves its list, as in `replace`.
    words.store32(this.#data(table) + REPLACED, 1);
    if (this.stays(entry)) {
      words.store32(this.#data(entry) + STATE, 0);
      this.#countResidents(-1);
    }
    this.#remove(entry);
  }

  /**
   * Ends a use of an entry: if the entry is unused, makes it a resident or removes it. With `despiteDeath`, an entry
   * whose next owner would be told of a death counts as unused, too.
   */
  tidy(entry: number, despiteDeath: boolean = this.#forgets): void {
    if (this.stays(entry) || !this.#isUnused(entry, despiteDeath)) return;
    const { words, table } = this.#ground;
    const data = this.#data(entry);
    const own = this.#data(table);
    if (words.get32(own + RESIDENTS) >= words.get32(own + KEPT) || words.get32(data + LENGTH) > MAX_RESIDENT_UNITS)
      this.#remove(entry);
    else {
      this.#countResidents(1);
      words.store32(data + STATE, IS_RESIDENT);
    }
  }

  /** Removes all unused entries except `except`: its owner may have released it since the caller's check. */
  sweep(despiteDeath: boolean = this.#forgets, except = 0): void {
    const { words, table } = this.#ground;
    const own = this.#data(table);
    const buckets = this.#buckets;
    let [left, residents, steps] = [0, 0, 0];
    for (let bucket = 0; bucket < buckets; bucket++) {
      // The word that leads to the entry: a search for it at each removal would make a long list quadratic.
      let link = own + HEADS + 4 * bucket;
      for (let entry = words.get32(link); entry !== 0; entry = words.get32(link)) {
        const next = this.#next(entry, steps++);
        if (entry !== except && this.#isUnused(entry, despiteDeath)) {
          // Before the entry is freed: until this write another agent would find it.
          words.store32(link, next);
          this.#ground.free(entry);
          continue;
        }
        left += 1;
        if (this.stays(entry)) residents += 1;
        link = this.#data(entry) + NEXT;
      }
    }
    words.store32(own + RESIDENTS, residents);
    words.store32(own + INSERTED, 0);
    words.store32(own + ENOUGH, enoughOf(words.get32(own + KEPT), left));
  }

  /**
   * Repairs the table after an agent died while it owned the mutex. Frees entries that are in no list, and removes
   * unused entries.
   */
  repair(): void {
    this.collect();
    this.sweep();
  }

  /** Frees unused entries that are in no list, which dead agents left. */
  collect(): void {
    const listed = new Set(this.entries());
    let isAnyUsed = false;
    for (const entry of [...this.#ground.everyEntry()]) {
      if (listed.has(entry)) continue;
      if (this.#ground.isFree(entry, true)) this.#ground.free(entry);
      else {
        this.#ground.abandon(entry);
        isAnyUsed = true;
      }
    }
    if (!isAnyUsed) this.#ground.words.store32(this.#data(this.#ground.table) + REPLACED, 0);
  }

  /** Returns every entry, for the end of the table. */
  all(): number[] {
    return [...this.entries(), ...(this.hasReplaced ? this.#ground.everyEntry() : [])];
  }

  /**
   * Whether an entry was replaced and may still be in use, outside all lists. Otherwise all entries are in the lists:
   * `repair` frees the entries that dead agents left.
   */
  get hasReplaced(): boolean {
    const { words, table } = this.#ground;
    return words.get32(this.#data(table) + REPLACED) !== 0;
  }

  /** Yields the entries in the lists whose locks are in use. */
  *busy(): Generator<number> {
    for (const entry of this.entries()) if (!this.#ground.isFree(entry, this.#forgets)) yield entry;
  }

  /** Yields the entries in the lists. */
  *entries(): Generator<number> {
    const { words, table } = this.#ground;
    const own = this.#data(table);
    const buckets = this.#buckets;
    let steps = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      for (let entry = words.get32(own + HEADS + 4 * bucket); entry !== 0; entry = this.#next(entry, steps++))
        yield entry;
    }
  }

  keyOf(entry: number): string {
    const { words } = this.#ground;
    const data = this.#data(entry);
    const length = words.get32(data + LENGTH);
    if (length < 0 || length > MAX_UNITS) throw corrupt(`a table of names has a name of ${length} units`);
    return readKey(words, this.#keyAt(data), length);
  }

  /** Creates an entry. If the arena is full, it frees unused residents except `except`, and tries again. */
  #withRoom(make: () => number, except = 0): number {
    try {
      return make();
    } catch (failure) {
      if (
        !hasCode(failure, 'SLUICE_ARENA_FULL') ||
        this.#ground.words.get32(this.#data(this.#ground.table) + RESIDENTS) === 0
      )
        throw failure;
      this.sweep(this.#forgets, except);
      return make();
    }
  }

  #make(key: string, hash: number, next: number): number {
    const { words, table, tag } = this.#ground;
    const payload = this.#payload;
    return this.#ground.create(PAYLOAD_AT + payload + bytesOf(key), key, (data) => {
      words.put32(data + TABLE, table);
      words.put32(data + TABLE_TAG, tag);
      words.put32(data + HASH, hash);
      words.put32(data + LENGTH, key.length);
      words.put32(data + STATE, 0);
      words.put32(data + NEXT, next);
      writeKey(words, data + PAYLOAD_AT + payload, key);
    });
  }

  /** Returns the address of the word that leads to an entry in its list. */
  #linkTo(entry: number): number {
    const { words } = this.#ground;
    let link = this.#headOf(words.get32(this.#data(entry) + HASH));
    let steps = 0;
    for (let other = words.get32(link); other !== entry; other = words.get32(link)) {
      if (other === 0 || this.#isTooMany(steps++)) throw corrupt('an entry of a table of names is not in its list');
      link = this.#data(other) + NEXT;
    }
    return link;
  }

  #countResidents(more: number): void {
    const { words, table } = this.#ground;
    const count = this.#data(table) + RESIDENTS;
    words.store32(count, words.get32(count) + more);
  }

  get #forgets(): boolean {
    const { words, table } = this.#ground;
    return words.get32(this.#data(table) + FORGETS) !== 0;
  }

  #remove(entry: number): void {
    const { words } = this.#ground;
    const data = this.#data(entry);
    const link = this.#linkTo(entry);
    // Before the entry is freed: until this write another agent would find it.
    words.store32(link, words.get32(data + NEXT));
    this.#ground.free(entry);
  }

  #isUnused(entry: number, despiteDeath: boolean): boolean {
    return (
      this.#ground.words.load32(this.#data(entry) + STATE) !== IS_READY && this.#ground.isFree(entry, despiteDeath)
    );
  }

  #isOf(entry: number, key: string, hash: number): boolean {
    const { words } = this.#ground;
    const data = this.#data(entry);
    return (
      words.get32(data + HASH) === hash &&
      words.get32(data + LENGTH) === key.length &&
      isKeyAt(words, this.#keyAt(data), key)
    );
  }

  #headOf(hash: number): number {
    return this.#data(this.#ground.table) + HEADS + 4 * (hash & (this.#buckets - 1));
  }

  /**
   * Returns the entry after `entry`, which is `steps` entries from the start of its list. Throws `CorruptArenaError` if
   * the result cannot be an entry, or if the list has no end.
   */
  #next(entry: number, steps: number): number {
    const next = this.#ground.words.get32(this.#data(entry) + NEXT);
    if (next < 0 || this.#isTooMany(steps))
      throw corrupt(`a list of a table of names leads to ${next} after ${steps} entries`);
    return next;
  }

  /** Whether a list has more entries than the arena has room for. */
  #isTooMany(entries: number): boolean {
    return entries > FEW_ENTRIES && entries > this.#ground.words.load32(HEADER_TOP) / BLOCK_LINE;
  }

  get #buckets(): number {
    const at = this.#ground.words.get32(this.#data(this.#ground.table) + BUCKETS_AT);
    if (at < 0 || at > MAX_BUCKETS_AT) throw corrupt(`a table of names has 2^${at} buckets`);
    return 1 << at;
  }

  get #payload(): number {
    const bytes = this.#ground.words.get32(this.#data(this.#ground.table) + PAYLOAD);
    if (bytes < 0 || bytes > MAX_PAYLOAD) throw corrupt(`a table of names has payloads of ${bytes} bytes`);
    return bytes;
  }

  #keyAt(data: number): number {
    return data + PAYLOAD_AT + this.#payload;
  }

  #data(block: number): number {
    return this.#ground.dataOf(block);
  }
}

/** Returns the value of ENOUGH for a table. `used` is the number of entries in use. */
export function enoughOf(kept: number, used: number): number {
  return Math.max(FEWEST, MADE_FOR_EACH_KEPT * kept, used);
}
