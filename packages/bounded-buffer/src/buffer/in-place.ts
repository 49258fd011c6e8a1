// Writes and reads values at their places in the ring.
//
// From `claim` to `commit`, and from `peek` to `consume`, this agent owns the lock of its side, as `push` does while it
// copies. So the same steps apply: if the agent dies in between, it has put in nothing, or taken nothing, and its
// recovery frees the side.

import { MisuseError } from '@sluice/core';
import { checkInteger, checkTimeout, INSPECT, consoleText, show, wrongInstance } from '@sluice/core/calls';
import { corrupt } from '@sluice/core/internal';
import { partsOf, type BoundedBuffer } from './bounded-buffer.ts';
import { CONSUMERS, PRODUCERS } from '../sides/lines.ts';
import { Numbers } from '../values/numbers.ts';
import { keepLock, type BufferParts } from './parts.ts';
import { Records } from '../values/records.ts';
import { asRefusal } from '../api/buffer-refusal.ts';
import type { Side } from '../sides/side.ts';

/** A part of the ring. */
export type View<T> = T extends number ? Int32Array | Float64Array : Uint8Array;
type AnyView = Int32Array | Float64Array | Uint8Array;

/** The maximum number of views that are kept for reuse. */
const MAX_VIEWS = 1024;

const POST_THE_BUFFER = /* @__PURE__ */ Symbol(
  'a reader or writer cannot be posted to another thread: open its buffer there, and post its handle',
);

/** One side of a buffer, and the part of the ring that is open there. */
class InPlace {
  /** The first field, because structured clone copies fields in order and fails at this one. */
  protected readonly _unpostable = POST_THE_BUFFER;
  protected readonly store: Numbers | Records;
  protected readonly what: string;
  /** The names of the methods that open and end a part of the ring, for messages. */
  readonly #opens: string;
  readonly #ends: string;
  readonly #parts: BufferParts;
  readonly #side: Side;
  /** The length of the open part. -1: nothing is open. */
  protected length = -1;
  /** The position of the open part in the ring. */
  protected at = 0;
  /** The bytes of the open value, if the ring ends within it. */
  protected scratch: Uint8Array | undefined;
  /** The views by their beginnings. Views with regular lengths are used again. */
  readonly #views = new Map<number, AnyView>();

  constructor(buffer: BoundedBuffer<never>, which: number, [opens, ends]: readonly [string, string]) {
    this.#opens = opens;
    this.#ends = ends;
    // One line, for consoles. It is not a method: a computed name would keep the class in bundles that do not use it.
    const shown = (): string => consoleText(this.constructor.name, () => ({ of: this.what, open: this.length >= 0 }));
    Object.defineProperty(this, INSPECT, { value: shown });
    const parts = partsOf(buffer);
    if (parts === undefined) throw wrongInstance('The buffer', 'BoundedBuffer', 'sluice.bounded-buffer', buffer);
    const { store, sides, taking } = parts;
    this.#parts = parts;
    this.what = String(buffer);
    if (
      !(store instanceof Numbers || store instanceof Records) ||
      !(buffer.handle.codec === 'bytes' || store instanceof Numbers)
    ) {
      throw new MisuseError(
        `${this.what} has values that cannot be used in place: its codec is ${show(buffer.handle.codec)}, and must be 'bytes', 'int32' or 'float64'.`,
      );
    }
    if (which === CONSUMERS && taking.isWatched)
      throw new MisuseError(`${this.what} has an \`onTake\`, which values read in place would not reach.`);
    this.store = store;
    this.#side = sides[which] as Side;
  }

  // An accessor, because structured clone copies fields.
  protected get side(): Side {
    return this.#side;
  }

  protected begin(count: number, timeoutMs: number): boolean {
    if (timeoutMs !== Infinity) checkTimeout(timeoutMs);
    if (this.length >= 0)
      throw new MisuseError(
        `${this.what}: a ${this.#opens} of this ${this.constructor.name} is open. Call ${this.#ends}() or cancel() first.`,
      );
    const at = this.side.enter(count, timeoutMs);
    if (at < 0) return false;
    keepLock(this.#parts, this.side, true);
    this.at = at;
    return true;
  }

  /** Ends the open part: `values` values with `units` units were written or read. */
  protected end(units: number, values: number): void {
    this.length = -1;
    this.scratch = undefined;
    keepLock(this.#parts, this.side, false);
    this.side.commit(units, values);
  }

  protected checkOpen(): void {
    if (this.length < 0)
      throw new MisuseError(
        `${this.what}: no ${this.#opens} of this ${this.constructor.name} is open. Call ${this.#opens}() first.`,
      );
  }

  /** Throws `TypeError` or `RangeError` that names the buffer. `what` completes the words "the number". */
  protected check(what: string, n: unknown, least: number, most: number): void {
    if (!Number.isInteger(n) || (n as number) < least || (n as number) > most)
      checkInteger(`${this.what}: the number ${what}`, n, least, most);
  }

  /** Leaves the side without writing or reading. No effect if nothing is open. */
  cancel(): void {
    if (this.length >= 0) this.end(0, 0);
  }

  protected numbers({ slots }: Numbers, most: number): AnyView {
    const start = this.at & (slots.length - 1);
    this.length = Math.min(most, this.side.units, slots.length - start);
    return this.#view(slots, start);
  }

  /** Returns a view of the bytes behind the word with their length. */
  protected record({ bytes }: Records, length: number): AnyView {
    const start = ((this.at + 1) * 4) & (bytes.length - 1);
    this.length = length;
    if (length <= bytes.length - start) return this.#view(bytes, start);
    return (this.scratch = new Uint8Array(length));
  }

  #view(ring: AnyView, start: number): AnyView {
    const known = this.#views.get(start);
    if (known?.length === this.length) return known;
    if (this.#views.size >= MAX_VIEWS) this.#views.clear();
    const view = ring.subarray(start, start + this.length);
    this.#views.set(start, view);
    return view;
  }
}

/**
 * Puts values into a buffer of numbers or bytes without a copy: `claim` gives a view of the ring, `commit` publishes
 * the values in the view.
 *
 * From `claim` to `commit` or `cancel` this agent keeps other producers out, so be quick. In that time this agent's
 * other calls that put values in, and `close`, fail with `MisuseError`. If the agent dies in between, nothing was put
 * in.
 *
 * ```ts run
 * import { BoundedBuffer, BufferReader, BufferWriter } from '@sluice/bounded-buffer';
 *
 * const samples = BoundedBuffer.create({ codec: 'float64', capacity: 256 });
 * const writer = new BufferWriter(samples);
 * writer.claim(3)?.set([1, 2, 4]);
 * writer.commit();
 * const reader = new BufferReader(samples);
 * console.log(reader.peek(10)?.reduce((sum, one) => sum + one, 0)); // 7
 * reader.consume();
 * ```
 */
export class BufferWriter<T extends number | Uint8Array> extends InPlace {
  /**
   * Creates a writer of the buffer.
   *
   * @throws {TypeError} If the argument is not a buffer.
   * @throws {MisuseError} Unless the codec is `'bytes'`, `'int32'` or `'float64'`.
   */
  constructor(buffer: BoundedBuffer<T>) {
    super(buffer as BoundedBuffer<never>, PRODUCERS, ['claim', 'commit']);
  }

  /**
   * Returns a view of free room in the ring. Blocks at most `timeoutMs` ms. Returns `undefined` if there was no room.
   *
   * With numbers the view has 1 to `n` places: as many as are free and adjacent. With bytes the view has `n` bytes, for
   * one value. Do not use the view after `commit`.
   *
   * @throws {MisuseError} While a claim of this writer is open.
   * @throws The other errors of `push`.
   */
  claim(n: number, timeoutMs = Infinity): View<T> | undefined {
    const { store } = this;
    if (store instanceof Numbers) {
      this.check('to claim', n, 1, 2 ** 31 - 1);
      return this.begin(1, timeoutMs) ? (this.numbers(store, n) as View<T>) : undefined;
    }
    this.check('of bytes to claim', n, 0, 2 ** 31 - 1);
    try {
      store.checkLength(n);
    } catch (failure) {
      throw asRefusal(failure, this.what);
    }
    return this.begin(store.unitsOf({ length: n }), timeoutMs) ? (this.record(store, n) as View<T>) : undefined;
  }

  /**
   * Publishes the first `n` numbers of the view, or one value with its first `n` bytes.
   *
   * @throws {MisuseError} Without a claim.
   * @throws {TypeError} If `n` is not a number.
   * @throws {RangeError} If `n` is not a whole number from 0 to the length of the view.
   */
  commit(n = this.length): void {
    this.checkOpen();
    this.check('to commit', n, 0, this.length);
    const { store } = this;
    if (store instanceof Numbers) this.end(n, n);
    else {
      if (this.scratch === undefined) store.words[this.at & (store.words.length - 1)] = n;
      else store.write(this.at, this.scratch.subarray(0, n));
      this.end(store.unitsOf({ length: n }), 1);
    }
  }
}

/**
 * Takes values out of a buffer of numbers or bytes without a copy: `peek` gives a view of the ring, `consume` removes
 * the values from the buffer.
 *
 * From `peek` to `consume` or `cancel` this agent keeps other consumers out, so be quick. In that time this agent's
 * other calls that take values out throw `MisuseError`. If the agent dies in between, nothing was taken.
 */
export class BufferReader<T extends number | Uint8Array> extends InPlace {
  /**
   * Creates a reader of the buffer.
   *
   * @throws {TypeError} If the argument is not a buffer.
   * @throws {MisuseError} Unless the codec is `'bytes'`, `'int32'` or `'float64'`. Also if the buffer has an `onTake`.
   */
  constructor(buffer: BoundedBuffer<T>) {
    super(buffer as BoundedBuffer<never>, CONSUMERS, ['peek', 'consume']);
  }

  /**
   * Returns a view of values in the ring. Blocks at most `timeoutMs` ms. Returns `undefined` if there was no value.
   *
   * With numbers the view has 1 to `n` values: as many as are available and adjacent. With bytes it is a view of the
   * next value. Do not use the view after `consume`, and do not write to it.
   *
   * @throws {MisuseError} While a peek of this reader is open.
   * @throws The other errors of `pop`.
   */
  peek(n = Infinity, timeoutMs = Infinity): View<T> | undefined {
    if (n !== Infinity) this.check('to peek at', n, 1, 2 ** 31 - 1);
    if (!this.begin(1, timeoutMs)) return undefined;
    const { store } = this;
    if (store instanceof Numbers) return this.numbers(store, n) as View<T>;
    const length = store.words[this.at & (store.words.length - 1)] ?? 0;
    if (length < 0 || length > store.bytes.length) {
      this.end(0, 0);
      throw corrupt(`${this.what} has a value of ${length} bytes`);
    }
    const view = this.record(store, length);
    if (this.scratch !== undefined) this.scratch.set(store.read(this.at));
    return view as View<T>;
  }

  /**
   * Removes the first `n` numbers of the view, or the value.
   *
   * @throws {MisuseError} Without a peek.
   * @throws {TypeError} If `n` is not a number.
   * @throws {RangeError} If `n` is not a whole number from 0 to the length of the view.
   */
  consume(n?: number): void {
    this.checkOpen();
    const { store } = this;
    if (store instanceof Numbers) {
      const count = n ?? this.length;
      this.check('to consume', count, 0, this.length);
      this.end(count, count);
      return;
    }
    this.check('of values to consume', n ?? 1, 0, 1);
    if (n === 0) this.cancel();
    else this.end(store.unitsOf({ length: this.length }), 1);
  }
}
