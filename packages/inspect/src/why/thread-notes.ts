// What one thread writes into its slot of the table: its waits, and what it did to the words of shared buffers.
//
// All stores are plain: this thread alone writes its slot. `WAITS` is odd during a wait, and a reader that finds
// another value afterwards discards what it has read.
//
// All of it is on the path of the program's own calls of Atomics, so a call that meets a known array stores a few words
// and no more: no clock, no allocation, no lookup while the array is the one of the call before.

import { MAGIC } from '@sluice/core/format';
import { RateBudget } from './rate-budget.ts';
import type { OwnInspector } from './own-inspector.ts';
import {
  CLOCK,
  ENTRIES,
  ENTRY_AT,
  ENTRY_CHANGE,
  ENTRY_COUNT,
  ENTRY_KEY,
  ENTRY_NOTIFIED,
  ENTRY_NOTIFIES,
  ENTRY_STRIDE,
  ENTRY_WOKEN,
  KEY_COUNT,
  KEY_ID,
  KEY_STRIDE,
  KEYS,
  NO_BUFFER,
  NOTHING,
  SLUICE_BUFFER,
  WAIT_AT,
  WAIT_KEY,
  WAIT_SINCE,
  WAIT_TIMED,
  WAIT_VALUE,
  WAITS,
  type WordTable,
} from './word-table.ts';

/** The arrays of which a thread can wait for a word. */
export type WaitableArray = Int32Array | BigInt64Array;

interface Facts {
  readonly key: number;
  /** The first byte of the array in its buffer. */
  readonly from: number;
  /** log2 of the bytes of an element. */
  readonly shift: number;
}

const NONE: Facts = { key: NO_BUFFER, from: 0, shift: 2 };

/** The neighbours of an entry's place that are searched. */
const PROBES = 4;
/** An inspector's look at a buffer takes some 50 µs. */
const LOOKS_AT_ONCE = 16;
const LOOKS_PER_TICK = 4;

export class ThreadNotes {
  readonly #table: WordTable;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  readonly #slot: number;
  readonly #inspector: OwnInspector | undefined;
  readonly #facts = new WeakMap<object, Facts>();
  readonly #keys = new WeakMap<SharedArrayBuffer, number>();
  /** The buffers whose ids are not known yet, by their keys. */
  readonly #unknown = new Map<number, WeakRef<SharedArrayBuffer>>();
  readonly #lookups = new RateBudget(LOOKS_AT_ONCE, LOOKS_PER_TICK);
  #lastKey = 0;
  #array: unknown;
  #arrayFacts: Facts = NONE;
  #entryArray: unknown;
  #entryIndex = 0;
  #entry = 0;

  /** `slot`: its address. */
  constructor(table: WordTable, slot: number, inspector: OwnInspector | undefined) {
    this.#table = table;
    this.#words = table.words;
    this.#numbers = table.numbers;
    this.#slot = slot;
    this.#inspector = inspector;
  }

  /** The arguments are those of Atomics.wait, which has not checked them yet. */
  beginWait(array: unknown, index: unknown, value: unknown, timeout: unknown): void {
    const { key, from, shift } = this.#factsOf(array);
    const at = this.#slot >> 2;
    const words = this.#words;
    words[at + (WAIT_KEY >> 2)] = key;
    words[at + (WAIT_AT >> 2)] = from + (typeof index === 'number' ? index << shift : 0);
    words[at + (WAIT_TIMED >> 2)] = timeout === undefined || timeout === Infinity ? 0 : 1;
    const numbers = this.#numbers;
    numbers[(this.#slot + WAIT_SINCE) >> 3] = numbers[CLOCK >> 3] as number;
    numbers[(this.#slot + WAIT_VALUE) >> 3] =
      typeof value === 'number' ? value : Number(typeof value === 'bigint' && value);
    words[at + (WAITS >> 2)] = (words[at + (WAITS >> 2)] as number) + 1;
  }

  endWait(): void {
    const at = (this.#slot + WAITS) >> 2;
    this.#words[at] = (this.#words[at] as number) + 1;
  }

  /** `change`: LEFT_ZERO or REACHED_ZERO. */
  changed(array: unknown, index: unknown, change: number): void {
    const entry = this.#entryOf(array, index);
    if (entry !== 0) this.#words[(entry + ENTRY_CHANGE) >> 2] = change;
  }

  notified(array: unknown, index: unknown, woken: number): void {
    const entry = this.#entryOf(array, index);
    if (entry === 0) return;
    const at = entry >> 2;
    const words = this.#words;
    words[at + (ENTRY_CHANGE >> 2)] = NOTHING;
    words[at + (ENTRY_NOTIFIES >> 2)] = (words[at + (ENTRY_NOTIFIES >> 2)] as number) + 1;
    words[at + (ENTRY_WOKEN >> 2)] = (words[at + (ENTRY_WOKEN >> 2)] as number) + woken;
    this.#numbers[(entry + ENTRY_NOTIFIED) >> 3] = this.#numbers[CLOCK >> 3] as number;
  }

  /** Returns the engine's id of an array's buffer, and the byte of the element, for an answer. */
  wordOf(array: WaitableArray, index: number): { readonly buffer: number; readonly at: number } {
    const { key, from, shift } = this.#factsOf(array);
    const buffer = key <= NO_BUFFER ? 0 : this.#table.number(this.#slot + keyAt(key) + KEY_ID);
    return { buffer, at: from + (index << shift) };
  }

  /** Looks up the ids that are not known yet. For an answer, when the thread has time. */
  lookUpBuffers(): void {
    for (const [key, reference] of this.#unknown) {
      const buffer = reference.deref();
      if (buffer !== undefined) this.#lookUp(key, buffer);
    }
    this.#unknown.clear();
  }

  #factsOf(array: unknown): Facts {
    if (array === this.#array) return this.#arrayFacts;
    const facts = this.#findFacts(array);
    this.#array = array;
    this.#arrayFacts = facts;
    return facts;
  }

  #findFacts(array: unknown): Facts {
    if (!(array instanceof Int32Array) && !(array instanceof BigInt64Array)) return NONE;
    const known = this.#facts.get(array);
    if (known !== undefined) return known;
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = array;
    const facts =
      buffer instanceof SharedArrayBuffer
        ? { key: this.#keyOf(buffer), from: byteOffset, shift: Math.log2(BYTES_PER_ELEMENT) }
        : NONE;
    this.#facts.set(array, facts);
    return facts;
  }

  #keyOf(buffer: SharedArrayBuffer): number {
    const known = this.#keys.get(buffer);
    if (known !== undefined) return known;
    // Sluice's own report explains what is in an arena.
    if (buffer.byteLength >= 4 && new Int32Array(buffer, 0, 1)[0] === MAGIC) {
      this.#keys.set(buffer, SLUICE_BUFFER);
      return SLUICE_BUFFER;
    }
    this.#lastKey += 1;
    const key = this.#lastKey;
    this.#keys.set(buffer, key);
    const at = this.#slot + keyAt(key);
    this.#table.setWord(at, key);
    this.#table.setNumber(at + KEY_ID, 0);
    this.#unknown.delete(key - KEY_COUNT);
    if (this.#lookups.take(this.#table.clock)) this.#lookUp(key, buffer);
    else this.#unknown.set(key, new WeakRef(buffer));
    return key;
  }

  #lookUp(key: number, buffer: SharedArrayBuffer): void {
    const at = this.#slot + keyAt(key);
    // A later buffer may have its place.
    if (this.#table.word(at) === key) this.#table.setNumber(at + KEY_ID, this.#inspector?.idOf(buffer) ?? 0);
  }

  /** Returns the entry of a word, or 0 if it is in no shared buffer of the program. */
  #entryOf(array: unknown, index: unknown): number {
    if (array === this.#entryArray && index === this.#entryIndex) return this.#entry;
    if (typeof index !== 'number') return 0;
    const { key, from, shift } = this.#factsOf(array);
    const entry = key <= NO_BUFFER ? 0 : this.#findEntry(key, from + (index << shift));
    this.#entryArray = array;
    this.#entryIndex = index;
    this.#entry = entry;
    return entry;
  }

  #findEntry(key: number, at: number): number {
    const first = Math.imul(key, 17) + (at >> 2);
    let worst = 0;
    for (let probe = 0; probe < PROBES; probe++) {
      const entry = this.#slot + ENTRIES + ((first + probe) & (ENTRY_COUNT - 1)) * ENTRY_STRIDE;
      const its = this.#table.word(entry + ENTRY_KEY);
      if (its === key && this.#table.word(entry + ENTRY_AT) === at) return entry;
      // An entry that says that the thread has taken something goes last.
      const isBetter = its === 0 || (worst !== 0 && this.#table.word(entry + ENTRY_CHANGE) === NOTHING);
      if (worst === 0 || (isBetter && this.#table.word(worst + ENTRY_KEY) !== 0)) worst = entry;
    }
    this.#words.fill(0, worst >> 2, (worst + ENTRY_STRIDE) >> 2);
    this.#table.setWord(worst + ENTRY_AT, at);
    this.#table.setWord(worst + ENTRY_KEY, key);
    return worst;
  }
}

function keyAt(key: number): number {
  return KEYS + KEY_STRIDE * (key % KEY_COUNT);
}
