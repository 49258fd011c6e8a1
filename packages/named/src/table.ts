// The table that leads from a name to its entry. An entry is a lock with the name behind it, in one of the lists of the
// table.
//
// The owner of the table's mutex calls every function here; the owner of an entry's lock may call `stays`, too. The
// mutex guards all words of the table and of its entries but the locks' own and STATE. So loads of guarded words are
// plain. Stores are atomic: a death finds the writes in the order of the program.
//
//   made       create · NEXT = first · head = entry          from the last write on the entry can be found
//   used       its lock is taken, or a ticket drawn, under the mutex
//   resident   RESIDENTS + 1 · STATE = IS_RESIDENT           once it is unused, while there are fewer than KEPT, unless
//                                                            its name is long
//   removed    link before it = NEXT · free                  only while it is unused
//   replaced   create · NEXT = its NEXT · STATE = 0 · RESIDENTS - 1 · link before it = the new one
//                                                            while it is used: it is in no list then, and freed when it
//                                                            is unused
//
// INVARIANTS
//
//   1. After every write the lists are whole: a list changes by one write. An agent that dies between two writes leaves
//      an entry that is in no list, or one in a list that is unused. `repair` frees both. The next owner of the mutex
//      calls it before anything else. An entry that was replaced is in no list while it is used, and `repair` leaves it
//      to its users. It removes unused residents, and counts the others.
//   2. An agent takes the lock of an entry, or draws a ticket, only while it owns the mutex. So an entry that is unused
//      then stays so until the mutex is unlocked, and no agent has its address outside except its owner and its
//      waiters. An entry that is used may become unused meanwhile.
//   3. A resident stays one until it is removed or replaced. So nothing is to be done in the table when its lock is
//      released, and the owner releases it without the mutex. An owner whose lock may be stolen looks at STATE again
//      after the release: `replace` changes STATE before the agent that steals looks whether the old entry is used. One
//      of the two sees the other.
//   4. Two entries of a table never have the same name: `insert` follows a `find` under one ownership of the mutex.

import { hasCode } from '@sluice/core';
import { BLOCK_LINE, corrupt, HEADER_TOP, type Words } from '@sluice/core/internal';
import { MOST_UNITS } from './key.ts';
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
  MOST_BUCKETS_AT,
  MADE_FOR_EACH_KEPT,
  MOST_PAYLOAD,
  MOST_RESIDENT_UNITS,
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

/** What the table needs of the arena. Addresses are of blocks; `dataOf` leads to the words of layout.ts. */
export interface Ground {
  readonly words: Pick<Words, 'load32' | 'store32' | 'get32' | 'put32'>;
  readonly table: number;
  readonly tag: number;
  dataOf(block: number): number;
  /**
   * Makes a free lock with `bytes` of data. `fill` writes them before another agent can find it. Throws
   * `ArenaFullError`.
   */
  create(bytes: number, key: string, fill: (data: number) => void): number;
  free(entry: number): void;
  /**
   * Whether no agent owns the lock or waits for it. `despiteDeath`: also if the next owner would be told that an owner
   * died.
   */
  isFree(entry: number, despiteDeath: boolean): boolean;
  /** Every entry of the table, whether it is in a list or not. */
  everyEntry(): Iterable<number>;
  /** After a death: an entry that is used and in no list, because another one has its place. */
  abandon(entry: number): void;
}

export class Table {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** The entry of a key; 0: none. */
  find(key: string, hash: number): number {
    const { words } = this.#ground;
    let entry = words.get32(this.#headOf(hash));
    for (let steps = 0; entry !== 0 && !this.#isOf(entry, key, hash); steps++) entry = this.#next(entry, steps);
    return entry;
  }

  /** The entry of a key, for a use of its lock. It is made if there is none. Throws `ArenaFullError`. */
  take(key: string, hash: number): number {
    const entry = this.find(key, hash);
    return entry === 0 ? this.insert(key, hash) : entry;
  }

  /**
   * Whether the entry is a resident: a release of its lock changes nothing in the table. For the owner of the mutex or
   * of the lock.
   */
  stays(entry: number): boolean {
    return this.#ground.words.load32(this.#data(entry) + STATE) === IS_RESIDENT;
  }

  /** Makes the entry of a key that has none. Throws `ArenaFullError`. */
  insert(key: string, hash: number): number {
    const { words, table } = this.#ground;
    const own = this.#data(table);
    // Also of residents that have been unused for long.
    if (words.get32(own + INSERTED) >= words.get32(own + ENOUGH)) this.sweep();
    const head = this.#headOf(hash);
    const entry = this.#withRoom(() => this.#make(key, hash, words.get32(head)));
    // Last: from here on the entry can be found.
    words.store32(head, entry);
    words.store32(own + INSERTED, words.get32(own + INSERTED) + 1);
    return entry;
  }

  /** Puts a new entry of the same key in the place of one that is used. */
  replace(old: number, key: string, hash: number): number {
    const { words } = this.#ground;
    const entry = this.#withRoom(() => this.#make(key, hash, words.get32(this.#data(old) + NEXT)), old);
    // Before it is out of its list: from then on only a walk over all blocks finds it.
    words.store32(this.#data(this.#ground.table) + REPLACED, 1);
    if (this.stays(old)) {
      // Before it is out of its list: a death in between leaves it there, as an entry like any other.
      words.store32(this.#data(old) + STATE, 0);
      this.#countResidents(-1);
    }
    words.store32(this.#linkTo(old), entry);
    return entry;
  }

  /**
   * After a use: lets go of an entry that is unused. `despiteDeath`: also if its next owner would be told that an owner
   * died.
   */
  tidy(entry: number, despiteDeath: boolean = this.#forgets): void {
    if (this.stays(entry) || !this.#isUnused(entry, despiteDeath)) return;
    const { words, table } = this.#ground;
    const data = this.#data(entry);
    const own = this.#data(table);
    if (words.get32(own + RESIDENTS) >= words.get32(own + KEPT) || words.get32(data + LENGTH) > MOST_RESIDENT_UNITS)
      this.#remove(entry);
    else {
      this.#countResidents(1);
      words.store32(data + STATE, IS_RESIDENT);
    }
  }

  /** Removes all unused entries but `except`, which its owner may have released since the caller looked. */
  sweep(despiteDeath: boolean = this.#forgets, except = 0): void {
    const { words, table } = this.#ground;
    let [left, residents] = [0, 0];
    for (const entry of [...this.entries()]) {
      if (entry !== except && this.#isUnused(entry, despiteDeath)) this.#remove(entry);
      else {
        left += 1;
        if (this.stays(entry)) residents += 1;
      }
    }
    const own = this.#data(table);
    words.store32(own + RESIDENTS, residents);
    words.store32(own + INSERTED, 0);
    words.store32(own + ENOUGH, enoughOf(words.get32(own + KEPT), left));
  }

  /** After an agent died while it owned the mutex: frees what is in no list, and removes what is unused. */
  repair(): void {
    this.collect();
    this.sweep();
  }

  /** Frees entries that are in no list and unused: of agents that died. */
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

  /** Every entry, for the end of the table. */
  all(): number[] {
    return [...this.entries(), ...(this.hasReplaced ? this.#ground.everyEntry() : [])];
  }

  /**
   * Whether an entry was replaced and may still be in use, outside all lists. Otherwise all entries are in the lists:
   * `repair` frees what dead agents left.
   */
  get hasReplaced(): boolean {
    const { words, table } = this.#ground;
    return words.get32(this.#data(table) + REPLACED) !== 0;
  }

  /** The entries in the lists whose locks are in use, or were until a moment ago. */
  *busy(): Generator<number> {
    for (const entry of this.entries())
      if (!this.stays(entry) || !this.#ground.isFree(entry, this.#forgets)) yield entry;
  }

  /** The entries in the lists. */
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

  /** The key of an entry. */
  keyOf(entry: number): string {
    const { words } = this.#ground;
    const data = this.#data(entry);
    const length = words.get32(data + LENGTH);
    if (length < 0 || length > MOST_UNITS) throw corrupt(`a table of names has a name of ${length} units`);
    return readKey(words, this.#keyAt(data), length);
  }

  /** Unused residents but `except` give their memory to a new entry. */
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

  /** The word that leads to an entry in its list. */
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
   * The entry behind `entry`, which has `steps` entries before it. Throws `CorruptArenaError` if it cannot be an entry,
   * or if the list has no end.
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
    if (at < 0 || at > MOST_BUCKETS_AT) throw corrupt(`a table of names has 2^${at} buckets`);
    return 1 << at;
  }

  get #payload(): number {
    const bytes = this.#ground.words.get32(this.#data(this.#ground.table) + PAYLOAD);
    if (bytes < 0 || bytes > MOST_PAYLOAD) throw corrupt(`a table of names has payloads of ${bytes} bytes`);
    return bytes;
  }

  #keyAt(data: number): number {
    return data + PAYLOAD_AT + this.#payload;
  }

  #data(block: number): number {
    return this.#ground.dataOf(block);
  }
}

/** ENOUGH of a table. `used`: entries in use. */
export function enoughOf(kept: number, used: number): number {
  return Math.max(FEWEST, MADE_FOR_EACH_KEPT * kept, used);
}
