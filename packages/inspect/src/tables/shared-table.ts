// What the threads of a program tell each other of the order of their locks, or of places: a list in shared memory to
// which each of them appends, and from which each of them reads.
//
// No thread waits for another one here, so a thread that dies in any function here delays no other thread.
//
//   words               written by
//   CLAIMED             a thread that appends; add. It owns the entry with the old value as its number
//   NESTED              a thread that finds an edge within a class; add
//   a hash (firsts)     0, then the hash of a report; compare-and-swap. It never changes again
//   ARENA (locks)       0, then the hash of an arena; compare-and-swap. It never changes again
//   ADDRESS             the thread that set ARENA, once
//   TAG, NUMBER         the thread that creates the lock at that address, or, for the place of a hold or a wait, the
//                       thread of that agent: NUMBER = 0, TAG, NUMBER
//   LENGTH, the text    the owner of the entry, before STATE
//   STATE               the owner of the entry: 0, then DONE
//
// INVARIANT 1: an entry that is DONE is whole, and never changes.
// INVARIANT 2: of two threads whose entries make a cycle together, the one that marks its entry last sees both. Each
// marks its own entry and then reads the list: `append` pairs with `read`.
// INVARIANT 3: every thread that opens a lock finds the same class for it, or no class. A thread that has ended in
// `setClass` leaves a lock without a class.

import type { WordMemory } from './shared-table-memory.ts';

/** One entry of the list. */
export type Appended = object;

/** The sizes of a table. */
export interface TableShape {
  /** The number of reports whose hashes have room. */
  readonly firsts: number;
  /** The number of addresses of locks that have room. */
  readonly locks: number;
  /** The most addresses that a search looks at. */
  readonly probes: number;
  readonly entries: number;
  readonly entryWords: number;
  /** The most edges between locks of one class. The other entries are for edges between classes. */
  readonly nested: number;
}

// Words of the table. CLAIMED may exceed the number of entries.
const CLAIMED = 0;
const NESTED = 1;
const COUNTS = 2;

/** Words of a lock. */
const ARENA = 0;
const ADDRESS = 1;
const TAG = 2;
/** 1 + the number of the entry with the class. 0: none. */
const NUMBER = 3;
const LOCK_WORDS = 4;

/** Words of an entry. LENGTH: the number of bytes of the text. */
const STATE = 0;
const LENGTH = 1;
const TEXT = 2;
const DONE = 1;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the number of words of a table. */
export function tableWords({ firsts, locks, entries, entryWords }: TableShape): number {
  return COUNTS + firsts + locks * LOCK_WORDS + entries * entryWords;
}

export class SharedTable {
  readonly #memory: WordMemory;
  readonly #shape: TableShape;
  /** The words at which the parts begin. */
  readonly #counts: number;
  readonly #firsts: number;
  readonly #locks: number;
  readonly #list: number;
  /** The most bytes of an entry's text. */
  readonly #mostBytes: number;
  /** The entries below this one were read, except those in `#open`. */
  #next = 0;
  /** Entries that were claimed and not done when they were looked at. */
  #open: number[] = [];

  /** `at`: the word at which the table begins. */
  constructor(memory: WordMemory, shape: TableShape, at: number) {
    this.#memory = memory;
    this.#shape = shape;
    this.#counts = at;
    this.#firsts = at + COUNTS;
    this.#locks = this.#firsts + shape.firsts;
    this.#list = this.#locks + shape.locks * LOCK_WORDS;
    this.#mostBytes = (shape.entryWords - TEXT) * 4;
  }

  /** Whether entries were lost because the list is full. */
  get isFull(): boolean {
    return this.#memory.load(this.#counts + CLAIMED) > this.#shape.entries;
  }

  /** Whether one more edge between locks of one class has room, and counts it. */
  claimNested(): boolean {
    return this.#memory.add(this.#counts + NESTED, 1) < this.#shape.nested;
  }

  /**
   * Appends an entry. Returns its number, or -1 if the list is full, or if none of the texts, from the longest to the
   * shortest, has room.
   */
  append(...choices: readonly Appended[]): number {
    const bytes = choices
      .map((entry) => encoder.encode(JSON.stringify(entry)))
      .find((text) => text.length <= this.#mostBytes);
    if (bytes === undefined || this.isFull) return -1;
    const entry = this.#memory.add(this.#counts + CLAIMED, 1);
    if (entry >= this.#shape.entries) return -1;
    const at = this.#entryAt(entry);
    this.#memory.store(at + LENGTH, bytes.length);
    this.#memory.write(at + TEXT, bytes);
    // Last: a thread that reads DONE reads the text. Before this thread reads the list: invariant 2.
    this.#memory.store(at + STATE, DONE);
    return entry;
  }

  /** Calls `take` with each entry that was done since the last call. */
  read(take: (entry: unknown, number: number) => void): void {
    const claimed = Math.min(this.#shape.entries, this.#memory.load(this.#counts + CLAIMED));
    const open = this.#open;
    for (; this.#next < claimed; this.#next++) open.push(this.#next);
    if (open.length === 0) return;
    this.#open = open.filter((entry) => !this.#readOne(entry, take));
  }

  /** Returns whether the entry is done. */
  #readOne(entry: number, take: (entry: unknown, number: number) => void): boolean {
    const found = this.entry(entry);
    if (found !== undefined) take(found, entry);
    return found !== undefined;
  }

  /** Returns an entry, or `undefined` if it is not done. */
  entry(number: number): unknown {
    const at = this.#entryAt(number);
    if (this.#memory.load(at + STATE) !== DONE) return undefined;
    const length = Math.min(this.#memory.load(at + LENGTH), this.#mostBytes);
    return JSON.parse(decoder.decode(this.#memory.read(at + TEXT, length))) as unknown;
  }

  /** Returns whether no thread has called it with that text. Two texts may be taken for one: the table has 32 bits. */
  isFirst(text: string): boolean {
    const hash = hashOf(text);
    for (let probe = 0; probe < this.#shape.firsts; probe++) {
      const at = this.#firsts + (((hash >>> 0) + probe) % this.#shape.firsts);
      const found = this.#memory.replace(at, 0, hash);
      if (found === 0) return true;
      if (found === hash) return false;
    }
    return false;
  }

  /**
   * Notes that the lock belongs to the class of that entry. Call it before another thread can find the lock. A lock at
   * the address of a freed one takes its place in the table. `arena`: a hash, not 0.
   */
  setClass(arena: number, address: number, tag: number, entry: number): void {
    const at = this.#claimLock(arena, address);
    if (at < 0) return;
    // First: with the tag of this lock, a thread would take the class of the freed one for its own.
    this.#memory.store(at + NUMBER, 0);
    this.#memory.store(at + TAG, tag);
    this.#memory.store(at + NUMBER, entry + 1);
  }

  /** Returns the number of the entry with the class of the lock, or -1. */
  classOf(arena: number, address: number, tag: number): number {
    for (let probe = 0; probe < this.#shape.probes; probe++) {
      const at = this.#lockAt(arena, address, probe);
      const found = this.#memory.load(at + ARENA);
      if (found === 0) return -1;
      if (found !== arena || this.#memory.load(at + ADDRESS) !== address) continue;
      if (this.#memory.load(at + TAG) !== tag) return -1;
      const number = this.#memory.load(at + NUMBER);
      // The number may be that of a later lock, if this one was freed meanwhile. Pairs with `setClass`.
      return this.#memory.load(at + TAG) === tag ? number - 1 : -1;
    }
    return -1;
  }

  /** Returns the word of the lock at that address, or -1 if it has no room. */
  #claimLock(arena: number, address: number): number {
    for (let probe = 0; probe < this.#shape.probes; probe++) {
      const at = this.#lockAt(arena, address, probe);
      const found = this.#memory.replace(at + ARENA, 0, arena);
      if (found === 0) this.#memory.store(at + ADDRESS, address);
      if (found === 0 || (found === arena && this.#memory.load(at + ADDRESS) === address)) return at;
    }
    return -1;
  }

  #entryAt(number: number): number {
    return this.#list + number * this.#shape.entryWords;
  }

  #lockAt(arena: number, address: number, probe: number): number {
    const product = Math.imul(address, 0x9e37_79b1);
    // Addresses are multiples of the size of a block, so the low bits of the product are 0.
    const hash = (Math.imul(arena, 31) ^ product ^ (product >>> 15)) >>> 0;
    return this.#locks + ((hash + probe) % this.#shape.locks) * LOCK_WORDS;
  }
}

/** FNV-1a over UTF-16 code units, never 0. */
export function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return hash | 0 || 1;
}
