// A store in plain memory, whose agent can die before any single write, and a check of all its lists.

import { fillChunks, type StoreMemory } from '../../src/chunks.ts';
import {
  BUCKETS,
  BUCKETS_AT,
  bucketsFor,
  CHUNK_BYTES,
  CHUNKS,
  COUNT,
  ENTRIES,
  FREE,
  FREE_COUNT,
  HASH,
  IN_BUCKET,
  LINK_BYTES,
  MARK,
  NEWER,
  NEWEST,
  NEXT,
  OLDER,
  OLDEST,
  STALE_FOR,
  storeBytes,
  TTL,
  UNITS,
} from '../../src/layout.ts';
import { CacheStore } from '../../src/store.ts';
import { putLong } from '../../src/store-words.ts';

export class Death extends Error {}

export class PlainStore {
  readonly store: CacheStore;
  /** The number of writes until the agent dies. */
  left = Infinity;
  readonly #view: DataView;
  readonly #bytes: Uint8Array;

  constructor(chunks: number, { ttl = 0, staleFor = 0 } = {}) {
    const bytes = storeBytes(chunks, bucketsFor(chunks));
    this.#bytes = new Uint8Array(bytes);
    this.#view = new DataView(this.#bytes.buffer);
    const words: StoreMemory['words'] = {
      load32: (address) => this.#view.getInt32(address, true),
      get32: (address) => this.#view.getInt32(address, true),
      store32: (address, value) => this.#write(() => this.#view.setInt32(address, value, true)),
      put32: (address, value) => this.#write(() => this.#view.setInt32(address, value, true)),
    };
    fillChunks(words, 0, chunks);
    putLong(words, TTL, ttl);
    putLong(words, STALE_FOR, staleFor);
    this.store = new CacheStore({
      words,
      at: 0,
      bytes,
      write: (address, from, start, length) =>
        this.#write(() => this.#bytes.set(from.subarray(start, start + length), address)),
      read: (address, into, start, length) => into.set(this.#bytes.subarray(address, address + length), start),
    });
  }

  /** Runs `act`. The agent dies before its write number `last`, counted from 0. Returns whether it survived. */
  outlives(last: number, act: () => unknown): boolean {
    this.left = last;
    try {
      act();
      return true;
    } catch (failure) {
      if (!(failure instanceof Death)) throw failure;
      return false;
    } finally {
      this.left = Infinity;
    }
  }

  /** Returns a description of what is wrong with the lists, or `undefined`. */
  problem(): string | undefined {
    return problemOf((address) => this.#view.getInt32(address, true), 0);
  }

  #write(write: () => void): void {
    if (this.left === 0) throw new Death('dead');
    this.left -= 1;
    write();
  }
}

/** Returns a description of what is wrong with the lists of a store, or `undefined`. */
export function problemOf(get: (address: number) => number, at: number): string | undefined {
  const chunks = get(at + CHUNKS);
  const buckets = 2 ** get(at + BUCKETS_AT);
  const links = at + BUCKETS + 4 * buckets;
  const address = (chunk: number): number => links + chunks * LINK_BYTES + (chunk - 1) * CHUNK_BYTES;
  const link = (chunk: number): number => links + (chunk - 1) * LINK_BYTES;
  const walk = (first: number, next: (chunk: number) => number): number[] => {
    const found: number[] = [];
    for (let chunk = first; chunk !== 0 && found.length <= chunks; chunk = next(chunk)) found.push(chunk);
    return found;
  };
  const sorted = (list: readonly number[]): string => [...list].sort((a, b) => a - b).join();
  const marked = Array.from({ length: chunks }, (_, index) => index + 1).filter(
    (chunk) => get(link(chunk) + MARK) !== 0,
  );
  const byUse = walk(get(at + OLDEST), (entry) => get(address(entry) + NEWER));
  const back = walk(get(at + NEWEST), (entry) => get(address(entry) + OLDER));
  const inBuckets = Array.from({ length: buckets }, (_, bucket) =>
    walk(get(at + BUCKETS + 4 * bucket), (entry) => get(address(entry) + IN_BUCKET)),
  ).flat();
  const free = walk(get(at + FREE), (chunk) => get(link(chunk) + NEXT));
  const used = marked.flatMap((entry) => {
    const chain = [entry];
    for (let count = get(address(entry) + COUNT); count > 1; count--) chain.push(get(link(chain.at(-1) ?? 0) + NEXT));
    return chain;
  });
  // No two keys of a test have one hash and one length.
  const keys = marked.map((entry) => `${get(address(entry) + HASH)} ${get(address(entry) + UNITS)}`);
  if (new Set(keys).size < keys.length) return 'two entries have one key';
  if (sorted(byUse) !== sorted(marked)) return `marked are ${sorted(marked)}, by use ${sorted(byUse)}`;
  if (back.reverse().join() !== byUse.join()) return 'the list by use differs in the other direction';
  if (sorted(inBuckets) !== sorted(marked)) return `marked are ${sorted(marked)}, in buckets ${sorted(inBuckets)}`;
  if (get(at + ENTRIES) !== marked.length) return `${marked.length} entries are counted as ${get(at + ENTRIES)}`;
  if (get(at + FREE_COUNT) !== free.length) return `${free.length} free chunks are counted as ${get(at + FREE_COUNT)}`;
  const all = Array.from({ length: chunks }, (_, index) => index + 1);
  if (sorted([...free, ...used]) !== sorted(all)) return `free are ${sorted(free)}, used ${sorted(used)} of ${chunks}`;
  return undefined;
}
