// What the threads of a program tell each other of the order of their locks: a list in shared memory to which each of
// them appends, and from which each of them reads.
//
// No thread waits for another one here, so a thread that ends anywhere in this file holds up none. An entry is claimed,
// written and then marked as done. A thread first marks its own entry, and then reads the others'. So of two threads
// whose entries make a cycle together, the one that marks its entry last sees both. Pairs with `read`.

/** One entry of the list. */
export type Appended = object;

const MAGIC = 0x5e1d_0de5;
const VERSION = 1;

// Words of the header.
const AT_MAGIC = 0;
const AT_VERSION = 1;
/** The number of entries that were claimed. May exceed ENTRIES. */
const AT_CLAIMED = 2;
/** The number of edges between locks of one class that were appended. */
const AT_NESTED = 3;
const HEADER = 16;

/** Hashes of reports. Only the thread that inserts a hash prints its report. */
const FIRSTS = HEADER;
const FIRST_COUNT = 1024;

/** Pairs of two words that identify a lock, and the number of the entry with its class. */
const LOCKS = FIRSTS + FIRST_COUNT;
const LOCK_COUNT = 16_384;
const LOCK_WORDS = 3;
/** The most pairs that a search looks at. */
const MAX_PROBES = 64;

const LIST = LOCKS + LOCK_COUNT * LOCK_WORDS;
const ENTRIES = 2048;
const ENTRY_WORDS = 256;
/** Words of an entry: its state, the number of bytes, and the bytes. */
const STATE = 0;
const LENGTH = 1;
const TEXT = 2;
const DONE = 1;
/** The most bytes of an entry's text. */
const MAX_BYTES = (ENTRY_WORDS - TEXT) * 4;
/** The most edges between locks of one class. The other entries are for edges between classes. */
const MAX_NESTED = 512;

const BYTES = (LIST + ENTRIES * ENTRY_WORDS) * 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class OrderTable {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  /** The entries below this one were read, except those in `#open`. */
  #next = 0;
  /** Entries that were claimed and not done when they were looked at. */
  #open: number[] = [];

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
    if (this.#words[AT_MAGIC] === 0) {
      this.#words[AT_MAGIC] = MAGIC;
      this.#words[AT_VERSION] = VERSION;
    }
  }

  /** Whether the memory is a table of this version. */
  static is(memory: SharedArrayBuffer): boolean {
    if (memory.byteLength !== BYTES) return false;
    const words = new Int32Array(memory, 0, HEADER);
    return words[AT_MAGIC] === MAGIC && words[AT_VERSION] === VERSION;
  }

  /** Whether entries were lost because the list is full. */
  get isFull(): boolean {
    return Atomics.load(this.#words, AT_CLAIMED) > ENTRIES;
  }

  /** Whether one more edge between locks of one class has room, and counts it. */
  claimNested(): boolean {
    return Atomics.add(this.#words, AT_NESTED, 1) < MAX_NESTED;
  }

  /**
   * Appends an entry. Returns its number, or -1 if the list is full, or if none of the texts, from the longest to the
   * shortest, has room.
   */
  append(...choices: readonly Appended[]): number {
    const bytes = choices
      .map((entry) => encoder.encode(JSON.stringify(entry)))
      .find((text) => text.length <= MAX_BYTES);
    if (bytes === undefined || this.isFull) return -1;
    const entry = Atomics.add(this.#words, AT_CLAIMED, 1);
    if (entry >= ENTRIES) return -1;
    const at = LIST + entry * ENTRY_WORDS;
    this.#words[at + LENGTH] = bytes.length;
    new Uint8Array(this.memory, (at + TEXT) * 4, bytes.length).set(bytes);
    // Last: a thread that reads DONE reads the text. Before this thread reads the list: see above.
    Atomics.store(this.#words, at + STATE, DONE);
    return entry;
  }

  /** Calls `take` with each entry that was done since the last call. */
  read(take: (entry: unknown, number: number) => void): void {
    const claimed = Math.min(ENTRIES, Atomics.load(this.#words, AT_CLAIMED));
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
    const at = LIST + number * ENTRY_WORDS;
    if (Atomics.load(this.#words, at + STATE) !== DONE) return undefined;
    const length = Math.min(this.#words[at + LENGTH] ?? 0, MAX_BYTES);
    // A decoder takes no shared memory.
    return JSON.parse(decoder.decode(new Uint8Array(this.memory, (at + TEXT) * 4, length).slice())) as unknown;
  }

  /** Returns whether no thread has called it with that text. Two texts may be taken for one: the table has 32 bits. */
  isFirst(text: string): boolean {
    const hash = hashOf(text);
    for (let probe = 0; probe < FIRST_COUNT; probe++) {
      const at = FIRSTS + (((hash >>> 0) + probe) % FIRST_COUNT);
      const found = Atomics.compareExchange(this.#words, at, 0, hash);
      if (found === 0) return true;
      if (found === hash) return false;
    }
    return false;
  }

  /** Notes that the lock belongs to the class of that entry. Call it before another thread can find the lock. */
  setClass(one: number, other: number, entry: number): void {
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const at = lockAt(one, other, probe);
      if (Atomics.compareExchange(this.#words, at, 0, one) !== 0) continue;
      this.#words[at + 1] = other;
      Atomics.store(this.#words, at + 2, entry + 1);
      return;
    }
  }

  /** Returns the number of the entry with the class of the lock, or -1. */
  classOf(one: number, other: number): number {
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const at = lockAt(one, other, probe);
      const found = Atomics.load(this.#words, at);
      if (found === 0) return -1;
      if (found === one && this.#words[at + 1] === other) return Atomics.load(this.#words, at + 2) - 1;
    }
    return -1;
  }
}

function lockAt(one: number, other: number, probe: number): number {
  return LOCKS + ((((Math.imul(one, 31) ^ Math.imul(other, 0x9e37_79b1)) >>> 0) + probe) % LOCK_COUNT) * LOCK_WORDS;
}

/** FNV-1a over UTF-16 code units, never 0. */
export function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return hash | 0 || 1;
}
