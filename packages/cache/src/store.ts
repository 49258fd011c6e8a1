// The values of a cache by their keys: how a value is read, kept, replaced and evicted. The owner of the table's mutex
// calls the functions here. store-lists.ts has the lists in which an entry is found, chunks.ts its bytes.
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
import { StoreLists } from './store-lists.ts';
import {
  CHUNK_BYTES,
  CLEARS,
  CLOCK,
  COMPUTED,
  EVICTED,
  EXPIRED,
  EXPIRES,
  FAILED,
  HASH,
  HITS,
  MISSES,
  MOST_UNITS,
  STALE_FOR,
  TTL,
  USED,
  VERSION,
} from './layout.ts';
import { longAt, putLong, StoreWords } from './store-words.ts';

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
  /** Calls of `get`, `tryGet` and `getAsync` that found no value. */
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
  readonly #memory: StoreMemory;
  readonly #words: StoreWords;
  readonly #chunks: Chunks;
  readonly #lists: StoreLists;

  constructor(memory: StoreMemory) {
    this.#memory = memory;
    this.#words = new StoreWords(memory);
    this.#chunks = new Chunks(memory);
    this.#lists = new StoreLists(memory, this.#chunks, this.#words);
  }

  /** Returns the value of a key at the time `now`. Copies no bytes if the value has the version `known`. */
  read(key: string, hash: number, now: number, reading: ReadEffect, known = 0): CachedValue | undefined {
    const counts = reading === 'counts';
    const entry = this.#lists.find(key, hash);
    const age = entry === 0 ? 'gone' : this.#ageOf(entry, now);
    if (age === 'gone') {
      if (entry !== 0 && counts) {
        this.#lists.remove(entry);
        this.#words.add(EXPIRED, 1);
      }
      if (counts) this.#words.add(MISSES, 1);
      return undefined;
    }
    if (counts) {
      this.#words.add(HITS, 1);
      this.#lists.use(entry);
    }
    const version = longAt(this.#memory.words, this.#chunks.addressOf(entry) + VERSION);
    const bytes = version === known ? UNCHANGED : this.#chunks.valueOf(entry);
    return { bytes, version, isStale: age === 'stale' };
  }

  /** Whether a key has a value at the time `now`. */
  has(key: string, hash: number, now: number): boolean {
    const entry = this.#lists.find(key, hash);
    return entry !== 0 && this.#ageOf(entry, now) !== 'gone';
  }

  /**
   * Keeps a value that fits, and evicts the values used least recently until there is room.
   *
   * `ttl`: ms, 0 = never expires. Default: the cache's `ttl`.
   */
  put(key: string, hash: number, value: Uint8Array, now: number, ttl = this.#words.long(TTL)): void {
    const count = Chunks.countFor(key.length, value.length);
    // The old value makes room for the new one before any other does. If the agent dies in between, the key has no
    // value.
    const previous = this.#chunks.free < count ? this.#lists.find(key, hash) : 0;
    if (previous !== 0) this.#lists.remove(previous);
    while (this.#chunks.free < count) {
      const oldest = this.#lists.oldest;
      if (oldest === 0) throw corrupt('a cache without values has no room');
      this.#lists.remove(oldest);
      this.#words.add(EVICTED, 1);
    }
    const entry = this.#chunks.take(count);
    const address = this.#chunks.addressOf(entry);
    const { words } = this.#memory;
    words.put32(address + HASH, hash);
    const version = this.#words.tick();
    putLong(words, address + VERSION, version);
    putLong(words, address + USED, version);
    putLong(words, address + EXPIRES, ttl === 0 ? 0 : Math.ceil(this.#words.timeOf(now) + ttl));
    this.#chunks.write(entry, key, value);
    const old = this.#lists.find(key, hash);
    // From here on the new value is there, and after a death it replaces the old one.
    this.#chunks.mark(entry);
    if (old !== 0) this.#lists.remove(old);
    this.#lists.link(entry);
  }

  /** Removes the value of a key. Returns whether there was one at the time `now`. */
  delete(key: string, hash: number, now: number): boolean {
    const entry = this.#lists.find(key, hash);
    if (entry === 0) return false;
    const wasThere = this.#ageOf(entry, now) !== 'gone';
    this.#lists.remove(entry);
    return wasThere;
  }

  /** Removes all values. A computation that began before does not keep its value (CLEARS). */
  clear(): void {
    this.#words.put(CLEARS, (this.clears + 1) | 0);
    for (const entry of [...this.#lists.entries()]) this.#chunks.unmark(entry);
    this.#lists.relist([]);
  }

  /** How often the cache was cleared. */
  get clears(): number {
    return this.#words.get(CLEARS);
  }

  noteComputed(): void {
    this.#words.add(COMPUTED, 1);
  }

  noteFailed(): void {
    this.#words.add(FAILED, 1);
  }

  get counts(): StoreCounts {
    return {
      hits: this.#words.long(HITS),
      misses: this.#words.long(MISSES),
      computed: this.#words.long(COMPUTED),
      failed: this.#words.long(FAILED),
      evicted: this.#words.long(EVICTED),
      expired: this.#words.long(EXPIRED),
    };
  }

  /** The number of values, including those that are past their time and were not removed yet. */
  get entries(): number {
    return this.#lists.count;
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
    return this.#words.long(TTL);
  }

  get staleFor(): number {
    return this.#words.long(STALE_FOR);
  }

  /** Returns the maximum size of a value of that key: it is then the only entry. */
  mostFor(key: string): number {
    return this.maxBytes - entryBytes(key.length);
  }

  /** Makes the lists anew from the marks, after an agent died in the middle of a change. */
  repair(): void {
    const marked: number[] = [];
    for (let chunk = 1; chunk <= this.#chunks.count; chunk++) if (this.#chunks.isMarked(chunk)) marked.push(chunk);
    const used = new Map(
      marked.map((entry) => [entry, longAt(this.#memory.words, this.#chunks.addressOf(entry) + USED)]),
    );
    marked.sort((a, b) => (used.get(a) ?? 0) - (used.get(b) ?? 0));
    // Of two entries with one key the newer one stays. It is the later one, because `put` gives it a later USED.
    const ofKeys = new Map(marked.map((entry) => [this.#chunks.keyOf(entry, MOST_UNITS), entry]));
    const kept = new Set(ofKeys.values());
    for (const entry of marked) if (!kept.has(entry)) this.#chunks.unmark(entry);
    const last = marked.at(-1);
    if (last !== undefined) this.#words.putLong(CLOCK, Math.max(this.#words.long(CLOCK), used.get(last) ?? 0));
    this.#lists.relist(marked.filter((entry) => kept.has(entry)));
  }

  #ageOf(entry: number, now: number): 'fresh' | 'stale' | 'gone' {
    const expires = longAt(this.#memory.words, this.#chunks.addressOf(entry) + EXPIRES);
    if (expires === 0) return 'fresh';
    const time = this.#words.timeOf(now);
    if (time < expires) return 'fresh';
    return time < expires + this.#words.long(STALE_FOR) ? 'stale' : 'gone';
  }
}
