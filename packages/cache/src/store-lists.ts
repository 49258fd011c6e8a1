// The lists of a store's entries: one for each bucket of hashes, and one of all entries in the order of use, whose
// oldest entry is evicted first (`CacheStore.put` in store.ts). Both follow from the marks of the entries: store.ts has
// the invariants.

import { corrupt } from '@sluice/core/internal';
import type { Chunks, StoreMemory } from './chunks.ts';
import { BUCKETS, ENTRIES, HASH, IN_BUCKET, NEWER, NEWEST, OLDER, OLDEST, USED } from './layout.ts';
import { putLong, type StoreWords } from './store-words.ts';

export class StoreLists {
  readonly #words: StoreMemory['words'];
  readonly #chunks: Chunks;
  readonly #store: StoreWords;
  /** The address of the first bucket. */
  readonly #buckets: number;

  constructor({ words, at }: StoreMemory, chunks: Chunks, store: StoreWords) {
    this.#words = words;
    this.#chunks = chunks;
    this.#store = store;
    this.#buckets = at + BUCKETS;
  }

  /** The number of entries. */
  get count(): number {
    return this.#store.get(ENTRIES);
  }

  /** The entry used longest ago, 0 = none. */
  get oldest(): number {
    return this.#store.get(OLDEST);
  }

  /** Returns the entry of a key, 0 = none. */
  find(key: string, hash: number): number {
    const words = this.#words;
    let steps = 0;
    for (let entry = words.get32(this.#bucketOf(hash)); entry !== 0; ) {
      const address = this.#chunks.addressOf(entry);
      if (words.get32(address + HASH) === hash && this.#chunks.hasKey(entry, address, key)) return entry;
      this.#checkSteps(steps++);
      entry = words.get32(address + IN_BUCKET);
    }
    return 0;
  }

  /** Adds a marked entry. It is then the one used last. */
  link(entry: number): void {
    const words = this.#words;
    const address = this.#chunks.addressOf(entry);
    const bucket = this.#bucketOf(words.get32(address + HASH));
    words.put32(address + IN_BUCKET, words.get32(bucket));
    words.put32(bucket, entry);
    this.#linkUse(entry);
    this.#store.put(ENTRIES, this.count + 1);
  }

  /** Removes an entry and frees its chunks. */
  remove(entry: number): void {
    const words = this.#words;
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
    this.#store.put(ENTRIES, this.count - 1);
    this.#chunks.giveBack(entry);
  }

  /** Makes an entry the one used last. */
  use(entry: number): void {
    if (this.#store.get(NEWEST) === entry) return;
    this.#unlinkUse(entry);
    putLong(this.#words, this.#chunks.addressOf(entry) + USED, this.#store.tick());
    this.#linkUse(entry);
  }

  /** Yields the entries, from the one used longest ago to the one used last. */
  *entries(): Generator<number> {
    const words = this.#words;
    let steps = 0;
    for (let entry = this.oldest; entry !== 0; entry = words.get32(this.#chunks.addressOf(entry) + NEWER)) {
      this.#checkSteps(steps++);
      yield entry;
    }
  }

  /** Makes the lists of these entries alone, from the one used longest ago to the one used last. */
  relist(entries: readonly number[]): void {
    for (let bucket = 0; bucket <= this.#chunks.mask; bucket++) this.#words.put32(this.#buckets + 4 * bucket, 0);
    for (const word of [OLDEST, NEWEST, ENTRIES]) this.#store.put(word, 0);
    for (const entry of entries) this.link(entry);
    this.#chunks.freeAllBut(entries);
  }

  #linkUse(entry: number): void {
    const words = this.#words;
    const newest = this.#store.get(NEWEST);
    const address = this.#chunks.addressOf(entry);
    words.put32(address + NEWER, 0);
    words.put32(address + OLDER, newest);
    if (newest === 0) this.#store.put(OLDEST, entry);
    else words.put32(this.#chunks.addressOf(newest) + NEWER, entry);
    this.#store.put(NEWEST, entry);
  }

  #unlinkUse(entry: number): void {
    const words = this.#words;
    const address = this.#chunks.addressOf(entry);
    const [newer, older] = [words.get32(address + NEWER), words.get32(address + OLDER)];
    if (newer === 0) this.#store.put(NEWEST, older);
    else words.put32(this.#chunks.addressOf(newer) + OLDER, older);
    if (older === 0) this.#store.put(OLDEST, newer);
    else words.put32(this.#chunks.addressOf(older) + NEWER, newer);
  }

  #bucketOf(hash: number): number {
    return this.#buckets + 4 * (hash & this.#chunks.mask);
  }

  /** Throws `CorruptArenaError` if a list has more entries than there are chunks. */
  #checkSteps(steps: number): void {
    if (steps > this.#chunks.count) throw corrupt('a list of a cache has no end');
  }
}
