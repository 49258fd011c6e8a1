// The entries of a cache: lists of entries for each bucket, and one list in the order of use. The owner of the table's
// mutex calls the functions here.
//
//   made       chunks taken · words, key, value written · MARK = 1   from the last write on readers can find the entry
//   replaced   the new entry is made · the old one is removed
//   removed    MARK = 0 · taken out of its lists · its chunks are free
//
// INVARIANTS
//
//   1. MARK alone says which entries there are. The lists, the free chunks and the counts of both follow from the
//      marks. An agent that dies in the middle of a change leaves lists that are wrong. The next owner of the mutex
//      calls `repair` before anything else, which makes them anew.
//   2. The words of an entry, its key, its value and the links of its chain are complete before its MARK is 1. They
//      change only after it is 0. The exceptions are its places in the lists, and USED.
//   3. Two entries have one key only between the two changes of `replaced`. `repair` keeps the newer one.
//   4. A reader copies the value while it owns the mutex. So no entry changes while it is read.

import { corrupt } from '@sluice/core/internal';
import { Chunks, entryBytes, type StoreMemory } from './chunks.ts';
import {
  BUCKETS,
  CHUNK_BYTES,
  CLEARS,
  CLOCK,
  COMPUTED,
  ENTRIES,
  EVICTED,
  EXPIRED,
  EXPIRES,
  FAILED,
  HASH,
  HITS,
  IN_BUCKET,
  MISSES,
  MOST_UNITS,
  NEWER,
  NEWEST,
  OLDER,
  OLDEST,
  STALE_FOR,
  TIME,
  TTL,
  USED,
  VERSION,
} from './layout.ts';

/** A value that a reader found. */
export interface CachedValue {
  /** A private copy, or UNCHANGED. */
  readonly bytes: Uint8Array;
  /** A number that no other value of the cache has or had. */
  readonly version: number;
  /** Whether its time to live is over, and it may still be used for a while. */
  readonly isStale: boolean;
}

/** The counters of a cache, since it was created. */
export interface StoreCounts {
  /** Calls of `get`, `tryGet` and `getAsync` that found a value. */
  readonly hits: number;
  /** Those that found none. */
  readonly misses: number;
  /** Computations that returned a value. */
  readonly computed: number;
  /** Computations that threw or rejected. */
  readonly failed: number;
  /** Values that made room for others. */
  readonly evicted: number;
  /** Values that a call found past their time, and removed. */
  readonly expired: number;
}

/** The bytes of a value whose version the reader named: they are not copied. */
export const UNCHANGED = new Uint8Array(0);

/**
 * How a read counts: as a call of `get`, or not at all. A read that does not count leaves the order of use as it is.
 */
export type ReadEffect = 'counts' | 'looks';

export class CacheStore {
  readonly #ground: StoreMemory;
  readonly #chunks: Chunks;

  constructor(ground: StoreMemory) {
    this.#ground = ground;
    this.#chunks = new Chunks(ground);
  }

  /** Returns the value of a key at the time `now`. Copies no bytes if the value has the version `known`. */
  read(key: string, hash: number, now: number, reading: ReadEffect, known = 0): CachedValue | undefined {
    const counts = reading === 'counts';
    const entry = this.#find(key, hash);
    const age = entry === 0 ? 'gone' : this.#ageOf(entry, now);
    if (age === 'gone') {
      if (entry !== 0 && counts) {
        this.#remove(entry);
        this.#add(EXPIRED, 1);
      }
      if (counts) this.#add(MISSES, 1);
      return undefined;
    }
    if (counts) {
      this.#add(HITS, 1);
      this.#use(entry);
    }
    const version = this.#longAt(this.#chunks.addressOf(entry) + VERSION);
    const bytes = version === known ? UNCHANGED : this.#chunks.valueOf(entry);
    return { bytes, version, isStale: age === 'stale' };
  }

  /** Whether a key has a value at the time `now`. */
  has(key: string, hash: number, now: number): boolean {
    const entry = this.#find(key, hash);
    return entry !== 0 && this.#ageOf(entry, now) !== 'gone';
  }

  /**
   * Keeps a value that fits, and evicts the values used least recently until there is room. `ttl` is in ms; 0: the
   * value does not expire. `undefined`: that of the cache.
   */
  put(key: string, hash: number, value: Uint8Array, now: number, ttl = this.#long(TTL)): void {
    const count = Chunks.countFor(key.length, value.length);
    // The old value makes room for the new one before any other does. If the agent dies in between, the key has no
    // value.
    const previous = this.#chunks.free < count ? this.#find(key, hash) : 0;
    if (previous !== 0) this.#remove(previous);
    while (this.#chunks.free < count) {
      const oldest = this.#get(OLDEST);
      if (oldest === 0) throw corrupt('a cache without values has no room');
      this.#remove(oldest);
      this.#add(EVICTED, 1);
    }
    const entry = this.#chunks.take(count);
    const address = this.#chunks.addressOf(entry);
    const { words } = this.#ground;
    words.put32(address + HASH, hash);
    const version = this.#tick();
    putLong(words, address + VERSION, version);
    putLong(words, address + USED, version);
    putLong(words, address + EXPIRES, ttl === 0 ? 0 : Math.ceil(this.#timeOf(now) + ttl));
    this.#chunks.write(entry, key, value);
    const old = this.#find(key, hash);
    // From here on the new value is there, and after a death it replaces the old one.
    this.#chunks.mark(entry);
    if (old !== 0) this.#remove(old);
    this.#link(entry);
  }

  /** Removes the value of a key. Returns whether there was one at the time `now`. */
  delete(key: string, hash: number, now: number): boolean {
    const entry = this.#find(key, hash);
    if (entry === 0) return false;
    const wasThere = this.#ageOf(entry, now) !== 'gone';
    this.#remove(entry);
    return wasThere;
  }

  /** Removes all values. A computation that began before does not keep its value (CLEARS). */
  clear(): void {
    this.#put(CLEARS, (this.clears + 1) | 0);
    for (const entry of [...this.#entries()]) this.#chunks.unmark(entry);
    this.#relist([]);
  }

  /** How often the cache was cleared. */
  get clears(): number {
    return this.#get(CLEARS);
  }

  noteComputed(): void {
    this.#add(COMPUTED, 1);
  }

  noteFailed(): void {
    this.#add(FAILED, 1);
  }

  get counts(): StoreCounts {
    return {
      hits: this.#long(HITS),
      misses: this.#long(MISSES),
      computed: this.#long(COMPUTED),
      failed: this.#long(FAILED),
      evicted: this.#long(EVICTED),
      expired: this.#long(EXPIRED),
    };
  }

  /** The number of values, including those that are past their time and were not removed yet. */
  get entries(): number {
    return this.#get(ENTRIES);
  }

  /** The bytes that the entries take. */
  get bytes(): number {
    return (this.#chunks.count - this.#chunks.free) * CHUNK_BYTES;
  }

  /** The maximum of `bytes`. */
  get maxBytes(): number {
    return this.#chunks.count * CHUNK_BYTES;
  }

  /** The time to live in ms; 0: none. */
  get ttl(): number {
    return this.#long(TTL);
  }

  get staleFor(): number {
    return this.#long(STALE_FOR);
  }

  /** Returns the maximum size of a value of that key: it is then the only entry. */
  mostFor(key: string): number {
    return this.maxBytes - entryBytes(key.length);
  }

  /** Makes the lists anew from the marks, after an agent died in the middle of a change. */
  repair(): void {
    const marked: number[] = [];
    for (let chunk = 1; chunk <= this.#chunks.count; chunk++) if (this.#chunks.isMarked(chunk)) marked.push(chunk);
    const used = new Map(marked.map((entry) => [entry, this.#longAt(this.#chunks.addressOf(entry) + USED)]));
    marked.sort((a, b) => (used.get(a) ?? 0) - (used.get(b) ?? 0));
    // Of two entries with one key the newer one stays. It is the later one, because `put` gives it a later USED.
    const ofKeys = new Map(marked.map((entry) => [this.#chunks.keyOf(entry, MOST_UNITS), entry]));
    const kept = new Set(ofKeys.values());
    for (const entry of marked) if (!kept.has(entry)) this.#chunks.unmark(entry);
    const last = marked.at(-1);
    if (last !== undefined) this.#putLong(CLOCK, Math.max(this.#long(CLOCK), used.get(last) ?? 0));
    this.#relist(marked.filter((entry) => kept.has(entry)));
  }

  /** Makes the lists of these entries, from the one used longest ago to the one used last. */
  #relist(entries: readonly number[]): void {
    const { words, at } = this.#ground;
    for (let bucket = 0; bucket <= this.#chunks.mask; bucket++) words.put32(at + BUCKETS + 4 * bucket, 0);
    for (const word of [OLDEST, NEWEST, ENTRIES]) this.#put(word, 0);
    for (const entry of entries) this.#link(entry);
    this.#chunks.freeAllBut(entries);
  }

  /** Yields the entries, from the one used longest ago to the one used last. */
  *#entries(): Generator<number> {
    const { words } = this.#ground;
    let steps = 0;
    for (let entry = this.#get(OLDEST); entry !== 0; entry = words.get32(this.#chunks.addressOf(entry) + NEWER)) {
      this.#checkSteps(steps++);
      yield entry;
    }
  }

  #find(key: string, hash: number): number {
    const { words } = this.#ground;
    let steps = 0;
    for (let entry = words.get32(this.#bucketOf(hash)); entry !== 0; ) {
      const address = this.#chunks.addressOf(entry);
      if (words.get32(address + HASH) === hash && this.#chunks.hasKey(entry, address, key)) return entry;
      this.#checkSteps(steps++);
      entry = words.get32(address + IN_BUCKET);
    }
    return 0;
  }

  #ageOf(entry: number, now: number): 'fresh' | 'stale' | 'gone' {
    const expires = this.#longAt(this.#chunks.addressOf(entry) + EXPIRES);
    if (expires === 0) return 'fresh';
    const time = this.#timeOf(now);
    if (time < expires) return 'fresh';
    return time < expires + this.#long(STALE_FOR) ? 'stale' : 'gone';
  }

  /** Returns the latest time that any agent has seen. The clocks of two threads may differ, by hours after a sleep. */
  #timeOf(now: number): number {
    const seen = this.#long(TIME);
    const whole = Math.floor(now);
    if (whole <= seen) return Math.max(seen, now);
    this.#putLong(TIME, whole);
    return now;
  }

  /** Makes an entry the one used last. */
  #use(entry: number): void {
    if (this.#get(NEWEST) === entry) return;
    this.#unlinkUse(entry);
    this.#longPutAt(this.#chunks.addressOf(entry) + USED, this.#tick());
    this.#linkUse(entry);
  }

  /** Adds a marked entry to its lists. */
  #link(entry: number): void {
    const { words } = this.#ground;
    const address = this.#chunks.addressOf(entry);
    const bucket = this.#bucketOf(words.get32(address + HASH));
    words.put32(address + IN_BUCKET, words.get32(bucket));
    words.put32(bucket, entry);
    this.#linkUse(entry);
    this.#put(ENTRIES, this.entries + 1);
  }

  #remove(entry: number): void {
    const { words } = this.#ground;
    // First: from here on the entry is gone, whatever happens to the agent.
    this.#chunks.unmark(entry);
    const address = this.#chunks.addressOf(entry);
    let link = this.#bucketOf(words.get32(address + HASH));
    let steps = 0;
    for (let other = words.get32(link); other !== entry; other = words.get32(link)) {
      if (other === 0) throw corrupt('an entry of a cache is not in its list');
      this.#checkSteps(steps++);
      link = this.#chunks.addressOf(other) + IN_BUCKET;
    }
    words.put32(link, words.get32(address + IN_BUCKET));
    this.#unlinkUse(entry);
    this.#put(ENTRIES, this.entries - 1);
    this.#chunks.giveBack(entry);
  }

  #linkUse(entry: number): void {
    const { words } = this.#ground;
    const newest = this.#get(NEWEST);
    const address = this.#chunks.addressOf(entry);
    words.put32(address + NEWER, 0);
    words.put32(address + OLDER, newest);
    if (newest === 0) this.#put(OLDEST, entry);
    else words.put32(this.#chunks.addressOf(newest) + NEWER, entry);
    this.#put(NEWEST, entry);
  }

  #unlinkUse(entry: number): void {
    const { words } = this.#ground;
    const address = this.#chunks.addressOf(entry);
    const [newer, older] = [words.get32(address + NEWER), words.get32(address + OLDER)];
    if (newer === 0) this.#put(NEWEST, older);
    else words.put32(this.#chunks.addressOf(newer) + OLDER, older);
    if (older === 0) this.#put(OLDEST, newer);
    else words.put32(this.#chunks.addressOf(older) + NEWER, newer);
  }

  /** Returns a number that is greater than all before it. */
  #tick(): number {
    const next = this.#long(CLOCK) + 1;
    this.#putLong(CLOCK, next);
    return next;
  }

  /** Throws `CorruptArenaError` if a list has more entries than there are chunks. */
  #checkSteps(steps: number): void {
    if (steps > this.#chunks.count) throw corrupt('a list of a cache has no end');
  }

  #bucketOf(hash: number): number {
    return this.#ground.at + BUCKETS + 4 * (hash & this.#chunks.mask);
  }

  #get(word: number): number {
    return this.#ground.words.get32(this.#ground.at + word);
  }

  #put(word: number, value: number): void {
    this.#ground.words.put32(this.#ground.at + word, value);
  }

  #add(counter: number, more: number): void {
    this.#putLong(counter, this.#long(counter) + more);
  }

  #long(word: number): number {
    return this.#longAt(this.#ground.at + word);
  }

  #putLong(word: number, value: number): void {
    this.#longPutAt(this.#ground.at + word, value);
  }

  #longAt(address: number): number {
    return getLong(this.#ground.words, address);
  }

  #longPutAt(address: number, value: number): void {
    putLong(this.#ground.words, address, value);
  }
}

/** Returns a whole number from 0 to 2^53, which has two words. */
function getLong(words: StoreMemory['words'], address: number): number {
  return (words.get32(address + 4) >>> 0) * 2 ** 32 + (words.get32(address) >>> 0);
}

export function putLong(words: Pick<StoreMemory['words'], 'put32'>, address: number, value: number): void {
  words.put32(address, value | 0);
  words.put32(address + 4, Math.floor(value / 2 ** 32));
}
