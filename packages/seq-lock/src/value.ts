// The value that reads and writes pass to the caller: memory of this thread alone. No caller gets a view of the shared
// copies, because a plain access there would be a data race.

let words: (value: SeqValue) => Int32Array;
let isOne: (given: object) => boolean;

/** A private copy of the value of a seq-lock, with three views of the same bytes. `SeqLock.read()` makes one. */
export class SeqValue {
  readonly bytes: Uint8Array;
  /** The bytes as 32-bit words. */
  readonly int32: Int32Array;
  /** The bytes as doubles. */
  readonly float64: Float64Array;
  /** All bytes, and up to three more that fill the last word. */
  readonly #words: Int32Array;

  static {
    words = (value) => value.#words;
    isOne = (given) => #words in given;
  }

  constructor(byteLength: number) {
    const buffer = new ArrayBuffer(8 * Math.ceil(byteLength / 8));
    this.bytes = new Uint8Array(buffer, 0, byteLength);
    this.int32 = new Int32Array(buffer, 0, byteLength >> 2);
    this.float64 = new Float64Array(buffer, 0, byteLength >> 3);
    this.#words = new Int32Array(buffer, 0, (byteLength + 3) >> 2);
  }
}

/** Returns all words of a value, for the loads and stores. */
export function wordsOf(value: SeqValue): Int32Array {
  return words(value);
}

export function isValue(given: unknown): given is SeqValue {
  return typeof given === 'object' && given !== null && isOne(given);
}
