// The chunks of a store: their addresses, their links, and the bytes of an entry in its chain. No call changes an entry
// that readers may find.

import { corrupt, type Words } from '@sluice/core/internal';
import {
  BUCKETS,
  BUCKETS_AT,
  bucketsFor,
  CHUNK_BYTES,
  CHUNKS,
  COUNT,
  ENTRY_BYTES,
  FREE,
  FREE_COUNT,
  LAST,
  LINK_BYTES,
  MARK,
  MOST_BUCKETS_AT,
  NEXT,
  storeBytes,
  UNITS,
  VALUE_BYTES,
} from './layout.ts';

/** The operations on the arena that a store uses. */
export interface StoreMemory {
  readonly words: Pick<Words, 'load32' | 'store32' | 'get32' | 'put32'>;
  /** The address of the store. */
  readonly at: number;
  /** The bytes from there to the end of its block. */
  readonly bytes: number;
  /** Copies `length` bytes of `from`, from `start` on, to an address. */
  write(address: number, from: Uint8Array, start: number, length: number): void;
  /** Copies `length` bytes from an address to `into`, from `start` on. */
  read(address: number, into: Uint8Array, start: number, length: number): void;
}

/** Writes the words of a new store. All bytes are zero before. */
export function fillChunks(words: Pick<Words, 'put32'>, at: number, chunks: number): void {
  const bucketsAt = bucketsFor(chunks);
  words.put32(at + CHUNKS, chunks);
  words.put32(at + BUCKETS_AT, bucketsAt);
  words.put32(at + FREE, 1);
  words.put32(at + FREE_COUNT, chunks);
  const links = at + BUCKETS + 4 * 2 ** bucketsAt;
  for (let chunk = 1; chunk < chunks; chunk++) words.put32(links + (chunk - 1) * LINK_BYTES + NEXT, chunk + 1);
}

export class Chunks {
  /** The number of chunks. */
  readonly count: number;
  /** The number of buckets - 1. */
  readonly mask: number;
  readonly #ground: StoreMemory;
  readonly #words: StoreMemory['words'];
  readonly #at: number;
  readonly #links: number;
  readonly #first: number;

  /** Throws `CorruptArenaError` if the store does not fit into its block. */
  constructor(ground: StoreMemory) {
    const { words, at, bytes } = ground;
    const bucketsAt = words.get32(at + BUCKETS_AT);
    this.count = words.get32(at + CHUNKS);
    if (bucketsAt < 0 || bucketsAt > MOST_BUCKETS_AT || this.count < 1 || storeBytes(this.count, bucketsAt) > bytes)
      throw corrupt(`a cache has ${this.count} chunks and 2^${bucketsAt} buckets in ${bytes} bytes`);
    this.#ground = ground;
    this.#words = words;
    this.#at = at;
    this.mask = 2 ** bucketsAt - 1;
    this.#links = at + BUCKETS + 4 * 2 ** bucketsAt;
    this.#first = this.#links + this.count * LINK_BYTES;
  }

  /** Returns the number of chunks of an entry. */
  static countFor(units: number, valueBytes: number): number {
    return Math.ceil((entryBytes(units) + valueBytes) / CHUNK_BYTES);
  }

  get free(): number {
    return this.#words.get32(this.#at + FREE_COUNT);
  }

  /** Returns the address of a chunk. The words of an entry are at the address of its first chunk. */
  addressOf(chunk: number): number {
    return this.#first + (this.#checked(chunk) - 1) * CHUNK_BYTES;
  }

  isMarked(chunk: number): boolean {
    return this.#words.load32(this.#linkOf(chunk) + MARK) !== 0;
  }

  /** Lets readers find the entry. Written last: an agent that reads the mark also sees the entry. */
  mark(entry: number): void {
    this.#words.store32(this.#linkOf(entry) + MARK, 1);
  }

  /** Hides the entry, before its chunks are freed. So after a death the chunks are free, or the entry is whole. */
  unmark(entry: number): void {
    this.#words.store32(this.#linkOf(entry) + MARK, 0);
  }

  /** Takes that many free chunks as a chain. Returns the first. The caller has checked that there are enough. */
  take(count: number): number {
    const words = this.#words;
    const first = words.get32(this.#at + FREE);
    let last = first;
    for (let taken = 1; taken < count; taken++) last = this.#next(last);
    words.put32(this.#at + FREE, words.get32(this.#linkOf(last) + NEXT));
    words.put32(this.#at + FREE_COUNT, this.free - count);
    words.put32(this.#linkOf(last) + NEXT, 0);
    const entry = this.addressOf(first);
    words.put32(entry + COUNT, count);
    words.put32(entry + LAST, last);
    return first;
  }

  /** Frees the chunks of an entry that readers cannot find. */
  giveBack(entry: number): void {
    const words = this.#words;
    const address = this.addressOf(entry);
    words.put32(this.#linkOf(words.get32(address + LAST)) + NEXT, words.get32(this.#at + FREE));
    words.put32(this.#at + FREE, entry);
    words.put32(this.#at + FREE_COUNT, this.free + words.get32(address + COUNT));
  }

  /** Frees all chunks that belong to none of the `entries`. Does not change the chunks of these entries. */
  freeAllBut(entries: Iterable<number>): void {
    const words = this.#words;
    const isUsed = new Uint8Array(this.count + 1);
    for (const entry of entries) {
      let chunk = entry;
      for (let left = words.get32(this.addressOf(entry) + COUNT); left > 0; left--) {
        if (isUsed[this.#checked(chunk)] !== 0) throw corrupt(`a chunk of a cache is in two entries`);
        isUsed[chunk] = 1;
        if (left > 1) chunk = words.get32(this.#linkOf(chunk) + NEXT);
      }
    }
    let [head, free] = [0, 0];
    for (let chunk = this.count; chunk > 0; chunk--) {
      if (isUsed[chunk] !== 0) continue;
      words.put32(this.#linkOf(chunk) + NEXT, head);
      head = chunk;
      free += 1;
    }
    words.put32(this.#at + FREE, head);
    words.put32(this.#at + FREE_COUNT, free);
  }

  /** Writes the key and the value of an entry that readers cannot find. */
  write(entry: number, key: string, value: Uint8Array): void {
    const words = this.#words;
    const address = this.addressOf(entry);
    words.put32(address + UNITS, key.length);
    words.put32(address + VALUE_BYTES, value.length);
    const spot = new Spot(this, entry, address + ENTRY_BYTES, address + CHUNK_BYTES);
    for (let unit = 0; unit < key.length; unit += 2) words.put32(spot.word(), pairAt(key, unit));
    for (let done = 0; done < value.length; ) {
      const run = spot.run(value.length - done);
      this.#ground.write(spot.at - run, value, done, run);
      done += run;
    }
  }

  hasKey(entry: number, address: number, key: string): boolean {
    const words = this.#words;
    if (words.get32(address + UNITS) !== key.length) return false;
    if (entryBytes(key.length) <= CHUNK_BYTES) {
      let at = address + ENTRY_BYTES;
      for (let unit = 0; unit < key.length; unit += 2, at += 4) if (words.get32(at) !== pairAt(key, unit)) return false;
      return true;
    }
    const spot = new Spot(this, entry, address + ENTRY_BYTES, address + CHUNK_BYTES);
    for (let unit = 0; unit < key.length; unit += 2) if (words.get32(spot.word()) !== pairAt(key, unit)) return false;
    return true;
  }

  /** Returns the key of an entry. Throws `CorruptArenaError` if it has more than `most` code units. */
  keyOf(entry: number, most: number): string {
    const words = this.#words;
    const address = this.addressOf(entry);
    const units = words.get32(address + UNITS);
    if (units < 0 || units > most) throw corrupt(`a cache has a key of ${units} units`);
    const spot = new Spot(this, entry, address + ENTRY_BYTES, address + CHUNK_BYTES);
    let key = '';
    for (let unit = 0; unit < units; unit += 2) {
      const pair = words.get32(spot.word());
      key += String.fromCharCode(pair & 0xffff);
      if (unit + 1 < units) key += String.fromCharCode(pair >>> 16);
    }
    return key;
  }

  /** Returns a copy of the value of an entry. */
  valueOf(entry: number): Uint8Array {
    const words = this.#words;
    const address = this.addressOf(entry);
    const [units, bytes] = [words.get32(address + UNITS), words.get32(address + VALUE_BYTES)];
    if (units < 0 || bytes < 0 || bytes > this.count * CHUNK_BYTES)
      throw corrupt(`a cache has a value of ${bytes} bytes`);
    const value = new Uint8Array(bytes);
    const spot = new Spot(this, entry, address + ENTRY_BYTES, address + CHUNK_BYTES);
    spot.skip(keyBytes(units));
    for (let done = 0; done < bytes; ) {
      const run = spot.run(bytes - done);
      this.#ground.read(spot.at - run, value, done, run);
      done += run;
    }
    return value;
  }

  /** Returns the chunk after one that is not the last of its chain. */
  next(chunk: number): number {
    return this.#next(chunk);
  }

  #next(chunk: number): number {
    return this.#checked(this.#words.get32(this.#linkOf(chunk) + NEXT));
  }

  #linkOf(chunk: number): number {
    return this.#links + (this.#checked(chunk) - 1) * LINK_BYTES;
  }

  #checked(chunk: number): number {
    if (chunk < 1 || chunk > this.count) throw corrupt(`a cache leads to chunk ${chunk} of ${this.count}`);
    return chunk;
  }
}

/** A place in the chain of an entry, which moves forward. */
class Spot {
  at: number;
  readonly #chunks: Chunks;
  #chunk: number;
  #end: number;

  constructor(chunks: Chunks, chunk: number, at: number, end: number) {
    this.#chunks = chunks;
    this.#chunk = chunk;
    this.at = at;
    this.#end = end;
  }

  /** Moves behind the next word. Returns its address. */
  word(): number {
    this.#enter();
    this.at += 4;
    return this.at - 4;
  }

  /** Moves forward by at most `most` bytes that follow one another in memory. Returns their number. */
  run(most: number): number {
    this.#enter();
    while (this.#end - this.at < most) {
      const next = this.#chunks.next(this.#chunk);
      if (next !== this.#chunk + 1) break;
      this.#chunk = next;
      this.#end += CHUNK_BYTES;
    }
    const run = Math.min(most, this.#end - this.at);
    this.at += run;
    return run;
  }

  skip(bytes: number): void {
    for (let left = bytes; left > 0; ) left -= this.run(left);
  }

  /** Moves to the next chunk if this one has ended. */
  #enter(): void {
    if (this.at < this.#end) return;
    this.#chunk = this.#chunks.next(this.#chunk);
    this.at = this.#chunks.addressOf(this.#chunk);
    this.#end = this.at + CHUNK_BYTES;
  }
}

/** Returns the size of an entry without its value. */
export function entryBytes(units: number): number {
  return ENTRY_BYTES + keyBytes(units);
}

function keyBytes(units: number): number {
  return 4 * Math.ceil(units / 2);
}

/** Returns two code units as one word. A unit of 0 follows the end. */
function pairAt(key: string, at: number): number {
  return key.charCodeAt(at) | ((at + 1 < key.length ? key.charCodeAt(at + 1) : 0) << 16);
}
