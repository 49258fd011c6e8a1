// The bounded buffer: a ring in shared memory, with a queue of producers at its tail and a queue of consumers at its
// head.
//
// It combines known parts: the semaphore pair of Dijkstra's bounded buffer, with permits made only for agents that have
// to wait, as at a box office (Preshing); and the positions that each side keeps of the other (Lamport's ring, with the
// cached index of FastForward and its successors). Words and invariants: kernel/sides.ts. How an agent enters a side,
// and what it finds there: side.ts. Layout of values in the ring: records.ts, numbers.ts.

import { hasCode, type Arena, type WaitOptions } from '@sluice/core';
import {
  checkNotFreed,
  checkPlace,
  checkTimeout,
  freePrimitive,
  handleTo,
  INSPECT,
  Loop,
  oneLine,
  refusePosting,
  readName,
  type Account,
  type Place,
  type Take,
} from '@sluice/core/internal';
import { sideAccount } from './account.ts';
import { BlockingLoop } from './blocking-loop.ts';
import { Closing } from './closing.ts';
import type { Codec } from './codec.ts';
import type { PlainHandle, Typed } from './handle.ts';
import { Int32Side } from './int32.ts';
import { LINES } from './kernel/layout.ts';
import { BUFFER } from './kinds.ts';
import { ahead, CONSUMERS, freeUnits, passed, PRODUCERS, VALUES } from './lines.ts';
import {
  NO_OPTIONS,
  type BufferOptions,
  type ByteBufferOptions,
  type NumberBufferOptions,
  type TakingOptions,
} from './options.ts';
import type { Parts } from './parts.ts';
import { createBuffer, findBuffer, type Found } from './place.ts';
import { Putting } from './putting.ts';
import { reportBuffer, type BufferReport } from './report.ts';
import { Side } from './side.ts';
import type { Store } from './store.ts';
import { checkMost, Taking } from './taking.ts';

let construct: <T>(found: Found) => BoundedBuffer<T>;
/** `undefined`: the value is no buffer. */
export let partsOf: (buffer: unknown) => Parts | undefined;

/**
 * A FIFO queue of bounded size (a channel) for any number of producing and consuming agents of an arena.
 *
 * Values leave in the order in which they entered. Producers that wait for room are served in FIFO order, and so are
 * consumers that wait for values, blocking and async together. A value is transferred whole and exactly once. A call
 * that ends by timeout, abort or `ClosedError` has put in or taken out nothing. A value that a killed producer was
 * writing is not in the buffer; a value that a killed consumer was reading still is. After `close`, producers get
 * `ClosedError`. Consumers get the remaining values, then `ClosedError`, and loops over the buffer end.
 *
 * ```ts run
 * import { BoundedBuffer } from '@sluice/bounded-buffer';
 *
 * const lines = BoundedBuffer.create<string>({ capacity: 2, ringBytes: 1024 });
 * lines.push('one');
 * lines.push('two');
 * console.log(lines.tryPush('three'), lines.pop(), lines.length); // false one 1
 * lines.close();
 * for await (const line of lines) console.log(line); // two
 * ```
 */
export class BoundedBuffer<T> {
  /** Post this to another thread and give it to `BoundedBuffer.from` there. */
  readonly handle: PlainHandle & Typed<T>;
  readonly #place: Place;
  readonly #store: Store<unknown>;
  readonly #producers: Side;
  readonly #consumers: Side;
  readonly #putting: Putting<T>;
  readonly #taking: Taking;
  readonly #closing: Closing;
  readonly #account: Account;

  static {
    construct = (found) => new this(found);
    partsOf = (buffer) =>
      typeof buffer === 'object' && buffer !== null && #store in buffer
        ? {
            store: buffer.#store,
            sides: [buffer.#producers, buffer.#consumers],
            taking: buffer.#taking,
            words: buffer.#place.context.words,
            pack: (value) => buffer.#putting.pack(value),
          }
        : undefined;
  }

  private constructor(found: Found) {
    refusePosting(this);
    checkPlace(found, 'BoundedBuffer');
    const { place, store, codec, policy, onTake } = found;
    this.#place = place;
    this.#store = store;
    this.#account = sideAccount(place, PRODUCERS);
    this.#producers = new Side(place, PRODUCERS, policy, this.#account);
    this.#consumers = new Side(place, CONSUMERS, policy, sideAccount(place, CONSUMERS));
    const int32 = (which: number, side: Side): Int32Side | undefined =>
      store.isInt32 === true ? new Int32Side(place, which, side) : undefined;
    this.#putting = new Putting(store, this.#producers, this.#account, int32(PRODUCERS, this.#producers));
    this.#taking = new Taking(store, this.#consumers, onTake, int32(CONSUMERS, this.#consumers));
    this.#closing = new Closing(place, this.#producers, this.#consumers);
    this.handle = Object.freeze({ ...handleTo('sluice.bounded-buffer', place, BUFFER.kernel.id), codec });
  }

  /** Creates an empty buffer. Throws `RangeError`, `TypeError`, `ArenaFullError`; then nothing was created. */
  static create(options: NumberBufferOptions): BoundedBuffer<number>;
  static create(options: ByteBufferOptions<Uint8Array> & { readonly codec: 'bytes' }): BoundedBuffer<Uint8Array>;
  static create<T>(options?: ByteBufferOptions<T>): BoundedBuffer<T>;
  static create<T>(options: BufferOptions<T> = {}): BoundedBuffer<T> {
    return construct(createBuffer(options));
  }

  /**
   * The buffer that a handle refers to, with the handle's type of values. `codec`: if the buffer was created with a
   * codec of yours, the same one here. Throws `HandleError`; `TypeError` for another codec; `ArenaFullError` if no
   * record is left for this agent.
   */
  static from<T>(
    handle: PlainHandle & Typed<T>,
    options: TakingOptions & { readonly codec?: Codec<T> } = {},
  ): BoundedBuffer<T> {
    return construct(findBuffer(handle, options));
  }

  /** As "BoundedBuffer 'jobs'". */
  toString(): string {
    return this.#account.toString();
  }

  /** The name given at `create`, or '' without one. */
  get name(): string {
    this.#checkThere();
    return readName(this.#place.context.words, this.#place.address);
  }

  /** The arena that it lives in. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /** The number of values in the buffer at this moment. */
  get length(): number {
    this.#checkThere();
    return ahead(this.#place, VALUES);
  }

  /**
   * The free room: bytes of the ring, of which each value takes 4 more than its own, or for numbers how many fit.
   * Writers that have not finished may need part of it.
   */
  get room(): number {
    this.#checkThere();
    return freeUnits(this.#place) * this.#store.unitBytes;
  }

  /** How many values have ever entered, modulo 2^32. */
  get pushed(): number {
    this.#checkThere();
    return passed(this.#place, PRODUCERS);
  }

  /** How many values have ever been taken out, modulo 2^32. */
  get popped(): number {
    this.#checkThere();
    return passed(this.#place, CONSUMERS);
  }

  /** Whether the buffer is closed. */
  get closed(): boolean {
    this.#checkThere();
    return this.#producers.lines.isClosed;
  }

  /**
   * Puts a value in, blocking until there is room. Throws `TypeError` and `RangeError` (a value this buffer does not
   * take: too long, not a number), `ClosedError`, `MisuseError` (on a browser's main thread), `DeadlockError` (this
   * agent has an earlier async push), `ArenaFullError`; then the value is not in the buffer.
   */
  push(value: T): void {
    this.#putting.one(this.#putting.pack(value), Infinity);
  }

  /**
   * Waits at most `timeoutMs` ms for room, with 0 not at all. Returns whether the value is in. Never overtakes a
   * waiting producer. Throws as `push`.
   */
  tryPush(value: T, timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#putting.one(this.#putting.pack(value), timeoutMs);
  }

  /**
   * Resolves when the value is in. Rejects as `push` throws, and with `TimeoutError` and `signal.reason`; then it is
   * not in.
   */
  async pushAsync(value: T, options: WaitOptions = NO_OPTIONS): Promise<void> {
    await this.#putting.manyAsync([this.#putting.pack(value)], options);
  }

  /**
   * Puts in as many of the values as there is room for, in order, and at least one. Returns how many. Blocks and throws
   * as `push`.
   */
  pushMany(values: ArrayLike<T>): number {
    return this.#putting.many(this.#putting.packAll(values), Infinity);
  }

  /** As `pushMany`, waiting at most `timeoutMs` ms. Returns 0 if there was no room. */
  tryPushMany(values: ArrayLike<T>, timeoutMs = 0): number {
    checkTimeout(timeoutMs);
    return this.#putting.many(this.#putting.packAll(values), timeoutMs);
  }

  /** As `pushMany`, without blocking; rejects as `pushAsync`. */
  async pushManyAsync(values: ArrayLike<T>, options: WaitOptions = NO_OPTIONS): Promise<number> {
    return this.#putting.manyAsync(this.#putting.packAll(values), options);
  }

  /**
   * Takes the next value, blocking until there is one. Throws `ClosedError` (closed and empty), and as `push`; then
   * nothing was taken. If the codec's `decode` throws, the call throws that error; then this value was taken, and no
   * other.
   */
  pop(): T {
    return this.#store.unpack(this.#taking.next(Infinity)) as T;
  }

  /**
   * Waits at most `timeoutMs` ms for a value, with 0 not at all. Returns `undefined` without one. Never overtakes a
   * waiting consumer. Throws as `pop`.
   */
  tryPop(timeoutMs = 0): T | undefined {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const packed = this.#taking.next(timeoutMs);
    return packed === undefined ? undefined : (this.#store.unpack(packed) as T);
  }

  /**
   * Resolves with the next value. Rejects as `pop` throws, and with `TimeoutError` and `signal.reason`; then nothing
   * was taken.
   */
  async popAsync(options: WaitOptions = NO_OPTIONS): Promise<T> {
    return this.#store.unpack(await this.#consumers.enterAsync(1, options, (at) => this.#taking.one(at))) as T;
  }

  /**
   * Takes all values that are available, at least one and at most `most`. Blocks and throws as `pop`. If `decode`
   * throws for a value, the call returns the values before it, and the next call throws.
   */
  popMany(most = Infinity): T[] {
    return this.tryPopMany(most, Infinity);
  }

  /** As `popMany`, waiting at most `timeoutMs` ms. Returns an empty array if there was no value. */
  tryPopMany(most = Infinity, timeoutMs = 0): T[] {
    const limit = checkMost(most);
    checkTimeout(timeoutMs);
    const at = this.#consumers.enter(1, timeoutMs);
    return at < 0 ? [] : (this.#taking.all(at, limit) as T[]);
  }

  /** As `popMany`, without blocking; rejects as `popAsync`. */
  async popManyAsync(most = Infinity, options: WaitOptions = NO_OPTIONS): Promise<T[]> {
    const limit = checkMost(most);
    return (await this.#consumers.enterAsync(1, options, (at) => this.#taking.all(at, limit))) as T[];
  }

  /**
   * Iterates over the values without blocking. Each value is taken when the loop asks for it. Ends when the buffer is
   * closed and empty.
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const take: Take = (options, isLeft) =>
      this.#consumers.enterAsync(1, options, (at) => this.#taking.oneUnless(isLeft, at, options));
    return new Loop(
      take,
      (packed) => this.#store.unpack(packed) as T,
      (failure) => this.#isEnd(failure),
    );
  }

  /** As the async loop, blocking: for workers. */
  [Symbol.iterator](): Generator<T, void, undefined> {
    return new BlockingLoop<T>(this.#taking, this.#store, (failure) => this.#isEnd(failure));
  }

  /**
   * Closes the buffer: no further value enters. Waits for a value that another agent is just writing. Closing again has
   * no effect. Throws `MisuseError` (freed; on a browser's main thread, while another agent is writing).
   */
  close(): void {
    this.#checkThere();
    this.#closing.close();
  }

  /** As `close`, without blocking: for a thread that may not block while another agent may be writing. */
  async closeAsync(): Promise<void> {
    this.#checkThere();
    await this.#closing.closeAsync();
  }

  /** A snapshot: the values' number, the waiters and since when they wait. */
  inspect(): BufferReport {
    this.#checkThere();
    return reportBuffer(this.#place, this, this.#producers, this.#consumers);
  }

  /**
   * Frees the buffer's memory, with the remaining values. Another primitive may reuse it, so no agent may be inside a
   * call on this buffer. Throws `MisuseError` while agents wait (close it first), while an agent is inside a call or
   * has an open claim or peek, and if it was freed before. Every later use throws `MisuseError`, too.
   */
  free(): void {
    this.#checkThere();
    if (!this.#closing.seize()) throw this.#closing.inUse(this.#account);
    freePrimitive(this.#place, 'The buffer', LINES);
  }

  [INSPECT](): string {
    return oneLine('BoundedBuffer', () => {
      const { name, codec, length, closed, producers, consumers } = this.inspect();
      return {
        name,
        codec,
        length,
        producers: producers.length,
        consumers: consumers.length,
        closed: closed ? true : undefined,
      };
    });
  }

  #isEnd(failure: unknown): boolean {
    // It may have been freed since it was closed.
    return hasCode(failure, 'SLUICE_CLOSED') && (this.#closing.isFreed || this.closed);
  }

  #checkThere(): void {
    checkNotFreed(this.#place, 'The buffer');
  }
}
