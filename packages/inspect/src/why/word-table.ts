// The table of a process: what each of its threads waits for, in memory that every thread writes and one thread reads.
//
// A slot is written only by its thread, by plain stores. The comments of some words name exceptions. Times are ms on
// the clock of the reporter, which stores the time in the header every 100 ms. So a wait reads no clock.
//
//   header     256 bytes
//   slots      one for each thread, SLOT_BYTES each
//
//   slot       words and times          what the thread does now
//              texts                    its name, its file, the place of `new Worker`
//              keys                     the buffers that it has used: the thread's own number, and the engine's id
//              entries                  the words of these buffers that it has changed or notified

/** Bytes, as all offsets below. */
const HEADER_BYTES = 256;
const SLOT_BYTES = 4096;
/** Threads beyond these are only counted. */
export const MAX_THREADS = 256;

// Words of the header.
/** Counts the threads for which there was no slot. Any thread adds to it. */
export const UNTRACKED = 0;
/** 1: the reporter listens. */
export const READY = 4;
/** Counts the requests for a page. Any thread adds to it. */
export const REQUESTS = 8;
/** A double: the reporter's clock. */
export const CLOCK = 16;

// Words of a slot.
/** FREE, STARTING, RUNNING or ENDED. Changes by CAS, except at the end of the thread. */
export const STATE = 0;
/** Node's id of the thread; 0 is the main thread. */
export const THREAD = 4;
/** 1 + the slot of the thread that created it. */
export const PARENT = 8;
/** Always 0. The thread has async waits on it, which end with the thread. Each question notifies one of them. */
export const TOKEN = 12;
/** The number of these waits. The asking thread subtracts, this thread adds. */
export const ARMED = 16;
/** BRIEF or FULL. The reporter writes it before it asks. */
export const QUESTION = 20;
/** Counts the answers of the thread's event loop. */
export const ANSWERS = 24;
/** Odd while the thread is in Atomics.wait. */
export const WAITS = 28;
/** The key of the buffer of that wait; see KEYS. NO_BUFFER or SLUICE_BUFFER. */
export const WAIT_KEY = 32;
/** The byte of the buffer. */
export const WAIT_AT = 36;
/** Whether the wait can end by a timeout. */
export const WAIT_TIMED = 40;

// Doubles of a slot.
export const WAIT_SINCE = 64;
/** The value that the word had when the wait began. */
export const WAIT_VALUE = 72;
export const STARTED = 80;
export const ENDED_AT = 88;
/** When the event loop has answered last. */
export const ANSWERED = 96;
/** The ms in which the event loop was active, up to that answer. */
export const ACTIVE = 104;

// Texts of a slot: the length in bytes in one word, then UTF-8.
export const NAME = 256;
export const FILE = 384;
export const CREATED_AT = 640;
const TEXT_BYTES: Readonly<Record<number, number>> = { [NAME]: 124, [FILE]: 252, [CREATED_AT]: 380 };

// Keys: KEY_COUNT pairs of a key and an id, at KEYS + 16 * (key % KEY_COUNT).
export const KEYS = 1024;
export const KEY_COUNT = 64;
export const KEY_STRIDE = 16;
/** A double behind the key: the engine's id of the buffer, the same in every thread. 0: not known. */
export const KEY_ID = 8;

// Entries: what the thread did to a word.
export const ENTRIES = 2048;
export const ENTRY_COUNT = 64;
export const ENTRY_STRIDE = 32;
/** Words of an entry. A key of 0: the entry is free. */
export const ENTRY_KEY = 0;
export const ENTRY_AT = 4;
/** NOTHING, LEFT_ZERO or REACHED_ZERO. */
export const ENTRY_CHANGE = 8;
export const ENTRY_NOTIFIES = 12;
/** The number of agents that these notifies woke. */
export const ENTRY_WOKEN = 16;
/** A double: when the thread notified the word last. */
export const ENTRY_NOTIFIED = 24;

// Values.
export const FREE = 0;
export const STARTING = 1;
export const RUNNING = 2;
export const ENDED = 3;

export const BRIEF = 0;
export const FULL = 1;

/** The keys of a wait that is at no buffer of the program: an array that cannot be waited on, or an arena of Sluice. */
export const NO_BUFFER = 0;
export const SLUICE_BUFFER = -1;

export const NOTHING = 0;
/** The thread changed the word from 0 to another value, and has neither changed it back nor notified it. */
export const LEFT_ZERO = 1;
/** The thread changed the word to 0, and has neither changed it back nor notified it. */
export const REACHED_ZERO = 2;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The table, as one thread sees it. */
export class WordTable {
  readonly memory: SharedArrayBuffer;
  readonly words: Int32Array;
  readonly numbers: Float64Array;

  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + MAX_THREADS * SLOT_BYTES)) {
    this.memory = memory;
    this.words = new Int32Array(memory);
    this.numbers = new Float64Array(memory);
  }

  get clock(): number {
    return this.numbers[CLOCK / 8] as number;
  }

  /** Returns the address of a slot. */
  slot(index: number): number {
    return HEADER_BYTES + index * SLOT_BYTES;
  }

  word(address: number): number {
    return this.words[address >> 2] as number;
  }

  number(address: number): number {
    return this.numbers[address >> 3] as number;
  }

  setWord(address: number, value: number): void {
    this.words[address >> 2] = value;
  }

  setNumber(address: number, value: number): void {
    this.numbers[address >> 3] = value;
  }

  text(slot: number, at: number): string {
    const length = Math.min(this.word(slot + at) >>> 0, TEXT_BYTES[at] ?? 0);
    // A decoder takes no shared memory.
    return decoder.decode(new Uint8Array(this.memory, slot + at + 4, length).slice());
  }

  /** Writes a text, or its end if it is too long. */
  setText(slot: number, at: number, text: string): void {
    const bytes = encoder.encode(text).slice(-(TEXT_BYTES[at] ?? 0));
    new Uint8Array(this.memory, slot + at + 4, bytes.length).set(bytes);
    this.setWord(slot + at, bytes.length);
  }

  /** Sets all words of a slot to zero, except its state. */
  clear(slot: number): void {
    this.words.fill(0, (slot + 4) >> 2, (slot + SLOT_BYTES) >> 2);
  }

  /**
   * Takes a slot for a thread that starts: a free one, or that of the thread that ended first. Returns its index, or
   * -1 if every thread with a slot lives.
   */
  claim(): number {
    for (;;) {
      const index = this.#candidate();
      if (index < 0) {
        Atomics.add(this.words, UNTRACKED >> 2, 1);
        return -1;
      }
      const slot = this.slot(index);
      const state = this.word(slot + STATE);
      if (state !== FREE && state !== ENDED) continue;
      if (Atomics.compareExchange(this.words, (slot + STATE) >> 2, state, STARTING) !== state) continue;
      this.clear(slot);
      this.setNumber(slot + STARTED, this.clock);
      return index;
    }
  }

  #candidate(): number {
    let found = -1;
    let first = Infinity;
    for (let index = 0; index < MAX_THREADS; index++) {
      const slot = this.slot(index);
      const state = this.word(slot + STATE);
      if (state === FREE) return index;
      if (state !== ENDED || this.number(slot + ENDED_AT) >= first) continue;
      first = this.number(slot + ENDED_AT);
      found = index;
    }
    return found;
  }

  /** Marks the thread of a slot as ended. What it did to words stays until the slot is needed. */
  end(slot: number): void {
    this.setNumber(slot + ENDED_AT, this.clock);
    Atomics.store(this.words, (slot + STATE) >> 2, ENDED);
  }
}
