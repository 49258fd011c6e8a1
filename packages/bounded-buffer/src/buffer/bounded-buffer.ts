// The bounded buffer: a ring in shared memory, with a queue of producers at its tail and a queue of consumers at its
// head.
//
// It combines known parts. The queues are the semaphore pair of Dijkstra's bounded buffer. Permits are created only for
// agents that must wait, as at a box office (Preshing). Each side caches the position of the other side (Lamport's
// ring, with the cached index of FastForward and its successors).
//
// Words and invariants: kernel/sides.ts. Entering a side: side.ts. Layout of values in the ring: records.ts,
// numbers.ts.

import { hasCode, type WaitOptions } from '@sluice/core';
import { checkTimeout, TakeIterator, NO_WAIT_OPTIONS, type Take } from '@sluice/core/calls';
import { checkOpened, handleTo, Primitive, type PrimitiveErrors } from '@sluice/core/internal';
import { enterAsync } from '../sides/async-entry.ts';
import { BlockingLoop } from '../sides/blocking-loop.ts';
import { Closing } from '../sides/closing.ts';
import type { Codec } from '../api/codec.ts';
import type { PlainHandle, Typed } from '../api/handle.ts';
import { LINES } from '../kernel/layout.ts';
import { BUFFER } from '../sides/kinds.ts';
import { ahead, CONSUMERS, freeUnits, passed, PRODUCERS, VALUES } from '../sides/lines.ts';
import {
  type BufferOptions,
  type ByteBufferOptions,
  type NumberBufferOptions,
  type TakingOptions,
} from '../api/options.ts';
import type { BufferParts } from './parts.ts';
import { createBuffer, findBuffer, type OpenedBuffer } from './create-and-open.ts';
import { ProducerSide } from '../sides/producer-side.ts';
import { asRefusal } from '../api/buffer-refusal.ts';
import { reportBuffer, type BufferReport } from './report.ts';
import { Side } from '../sides/side.ts';
import type { ValueStore } from '../values/store.ts';
import { checkMost, ConsumerSide } from '../sides/consumer-side.ts';

const NAMING = { className: 'BoundedBuffer', what: 'The buffer' };

let construct: <T>(found: OpenedBuffer) => BoundedBuffer<T>;
/** Returns the parts of a buffer, or `undefined` if the value is not a buffer. */
export let partsOf: (buffer: unknown) => BufferParts | undefined;

/**
 * A FIFO queue of bounded size (a channel) for any number of producing and consuming agents of an arena.
 *
 * Values leave in the order in which they entered. Producers that wait for room are served in FIFO order, and so are
 * consumers that wait for values, blocking and async together. A value is transferred whole and exactly once. A call
 * that ends by timeout, abort or `ClosedError` has put in or taken out nothing. If a producer is killed while it writes
 * a value, the value is not in the buffer. If a consumer is killed while it reads a value, the value stays in the
 * buffer. After `close`, producers get `ClosedError`. Consumers get the remaining values, then `ClosedError`, and loops
 * over the buffer end.
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
export class BoundedBuffer<T> extends Primitive {
  /** The handle to post to another thread. Pass it to `BoundedBuffer.from` there. */
  readonly handle: PlainHandle & Typed<T>;
  readonly #store: ValueStore<unknown>;
  readonly #producers: Side;
  readonly #consumers: Side;
  readonly #isInt32: boolean;
  readonly #producerSide: ProducerSide<T>;
  readonly #consumerSide: ConsumerSide;
  readonly #closing: Closing;
  readonly #errors: PrimitiveErrors;

  static {
    construct = (found) => new this(found);
    partsOf = (buffer) =>
      typeof buffer === 'object' && buffer !== null && #store in buffer
        ? {
            store: buffer.#store,
            sides: [buffer.#producers, buffer.#consumers],
            taking: buffer.#consumerSide,
            words: buffer.ref.context.words,
            pack: (value) => buffer.#producerSide.pack(value),
          }
        : undefined;
  }

  private constructor(found: OpenedBuffer | undefined) {
    super(found?.ref, NAMING);
    checkOpened(found, NAMING.className);
    const { ref, store, codec, policy, onTake } = found;
    this.#store = store;
    this.#producers = new Side(ref, PRODUCERS, policy);
    this.#consumers = new Side(ref, CONSUMERS, policy);
    this.#errors = this.#producers.errors;
    this.#isInt32 = store.isInt32 === true;
    this.#producerSide = new ProducerSide(store, this.#producers);
    this.#consumerSide = new ConsumerSide(store, this.#consumers, onTake);
    this.#closing = new Closing(ref, this.#producers, this.#consumers);
    this.handle = Object.freeze({ ...handleTo('sluice.bounded-buffer', ref, BUFFER.kernel.id), codec });
  }

  /**
   * Creates an empty buffer. If it throws, nothing was created.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: NumberBufferOptions): BoundedBuffer<number>;
  static create(options: ByteBufferOptions<Uint8Array> & { readonly codec: 'bytes' }): BoundedBuffer<Uint8Array>;
  static create<T>(options?: ByteBufferOptions<T>): BoundedBuffer<T>;
  static create<T>(options: BufferOptions<T> = {}): BoundedBuffer<T> {
    return construct(createBuffer(options));
  }

  /**
   * Opens the buffer that a handle refers to, with the handle's type of values. If the buffer was created with a codec
   * of your own, pass the same codec as `codec`.
   *
   * @throws {HandleError} If the handle does not refer to a live buffer.
   * @throws {TypeError} For another codec.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from<T>(
    handle: PlainHandle & Typed<T>,
    options: TakingOptions & { readonly codec?: Codec<T> } = {},
  ): BoundedBuffer<T> {
    return construct(findBuffer(handle, options));
  }

  /** The number of values in the buffer at this moment. */
  get length(): number {
    this.checkThere();
    return ahead(this.ref, VALUES);
  }

  /**
   * The free room: the number of numbers that fit, or for other values the number of free bytes in the ring. A value
   * takes 4 bytes more than its length. Writers that have not finished may need part of the room.
   */
  get room(): number {
    this.checkThere();
    return freeUnits(this.ref) * this.#store.unitBytes;
  }

  /** The number of values that have ever entered, modulo 2^32. */
  get pushed(): number {
    this.checkThere();
    return passed(this.ref, PRODUCERS);
  }

  /** The number of values that have ever been taken out, modulo 2^32. */
  get popped(): number {
    this.checkThere();
    return passed(this.ref, CONSUMERS);
  }

  /** Whether the buffer is closed. */
  get closed(): boolean {
    this.checkThere();
    return this.#producers.lines.isClosed;
  }

  /**
   * Puts a value in, blocking until there is room. If it throws, the value is not in the buffer.
   *
   * @throws {TypeError} For a value that this buffer does not take.
   * @throws {RangeError} For a value that is out of range or too long.
   * @throws {ClosedError} If the buffer is closed.
   * @throws {MisuseError} On a browser's main thread; use `pushAsync`.
   * @throws {DeadlockError} If this agent has an earlier async push.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  push(value: T): void {
    this.tryPush(value, Infinity);
  }

  /**
   * Puts a value in if there is room within `timeoutMs` ms. With 0, the default, it does not wait. Returns whether the
   * value is in. Never overtakes a waiting producer.
   *
   * @throws The errors of `push`.
   */
  tryPush(value: T, timeoutMs = 0): boolean {
    if (timeoutMs !== 0 && timeoutMs !== Infinity) checkTimeout(timeoutMs);
    const store = this.#store;
    const producers = this.#producers;
    let packed: unknown;
    try {
      packed = store.pack(value);
    } catch (failure) {
      throw asRefusal(failure, this.#errors);
    }
    const units = store.unitsOf(packed);
    let at: number;
    if (this.#isInt32) {
      const seen = producers.passInt32(packed as number);
      if (seen >= 0) return true;
      at = producers.goOn(seen, units, timeoutMs);
    } else at = producers.enter(units, timeoutMs);
    if (at < 0) return false;
    let done = 0;
    try {
      store.write(at, packed);
      done = 1;
    } finally {
      producers.commit(done * units, done);
    }
    return true;
  }

  /**
   * Puts a value in without blocking, and resolves when it is in. Rejects with the errors of `push`, with
   * `TimeoutError` and with `signal.reason`. Then the value is not in the buffer.
   */
  async pushAsync(value: T, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    await this.#producerSide.manyAsync([this.#producerSide.pack(value)], options);
  }

  /**
   * Puts in as many of the values as there is room for, in order, and at least one. Returns their number. Blocks and
   * throws as `push` does.
   */
  pushMany(values: ArrayLike<T>): number {
    return this.#producerSide.many(this.#producerSide.packAll(values), Infinity);
  }

  /** Puts values in as `pushMany` does, waiting at most `timeoutMs` ms. Returns 0 if there was no room. */
  tryPushMany(values: ArrayLike<T>, timeoutMs = 0): number {
    checkTimeout(timeoutMs);
    return this.#producerSide.many(this.#producerSide.packAll(values), timeoutMs);
  }

  /** Puts values in as `pushMany` does, without blocking. Rejects with the errors of `pushAsync`. */
  async pushManyAsync(values: ArrayLike<T>, options: WaitOptions = NO_WAIT_OPTIONS): Promise<number> {
    return this.#producerSide.manyAsync(this.#producerSide.packAll(values), options);
  }

  /**
   * Takes the next value, blocking until there is one. If it throws, nothing was taken. Exception: if the codec's
   * `decode` throws, the call throws that error, and only this value was taken.
   *
   * @throws {ClosedError} If the buffer is closed and empty.
   * @throws The other errors of `push`.
   */
  pop(): T {
    return this.#store.unpack(this.#consumerSide.next(Infinity)) as T;
  }

  /**
   * Takes the next value if one comes within `timeoutMs` ms. With 0, the default, it does not wait. Returns `undefined`
   * if no value came. Never overtakes a waiting consumer.
   *
   * @throws The errors of `pop`.
   */
  tryPop(timeoutMs = 0): T | undefined {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const packed = this.#consumerSide.next(timeoutMs);
    return packed === undefined ? undefined : (this.#store.unpack(packed) as T);
  }

  /**
   * Takes the next value without blocking, and resolves with it. Rejects with the errors of `pop`, with `TimeoutError`
   * and with `signal.reason`. Then nothing was taken.
   */
  async popAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<T> {
    return this.#store.unpack(await enterAsync(this.#consumers, 1, options, (at) => this.#consumerSide.one(at))) as T;
  }

  /**
   * Takes all values that are available, at least one and at most `most`. Blocks and throws as `pop` does. If `decode`
   * throws for a value, the call returns the values before it, and the next call throws.
   */
  popMany(most = Infinity): T[] {
    return this.tryPopMany(most, Infinity);
  }

  /** Takes values as `popMany` does, waiting at most `timeoutMs` ms. Returns an empty array if there was no value. */
  tryPopMany(most = Infinity, timeoutMs = 0): T[] {
    const limit = checkMost(most);
    checkTimeout(timeoutMs);
    const at = this.#consumers.enter(1, timeoutMs);
    return at < 0 ? [] : (this.#consumerSide.all(at, limit) as T[]);
  }

  /** Takes values as `popMany` does, without blocking. Rejects with the errors of `popAsync`. */
  async popManyAsync(most = Infinity, options: WaitOptions = NO_WAIT_OPTIONS): Promise<T[]> {
    const limit = checkMost(most);
    return (await enterAsync(this.#consumers, 1, options, (at) => this.#consumerSide.all(at, limit))) as T[];
  }

  /**
   * Iterates over the values without blocking. It takes a value when the loop asks for one. Ends when the buffer is
   * closed and empty.
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const take: Take = (options, isLeft) =>
      enterAsync(this.#consumers, 1, options, (at) => this.#consumerSide.oneUnless(isLeft, at, options));
    return new TakeIterator(
      take,
      (packed) => this.#store.unpack(packed) as T,
      (failure) => this.#isEnd(failure),
    );
  }

  /** Iterates over the values as the async loop does, blocking the thread. For workers. */
  [Symbol.iterator](): Generator<T, void, undefined> {
    return new BlockingLoop<T>(this.#consumerSide, this.#store, (failure) => this.#isEnd(failure));
  }

  /**
   * Closes the buffer: no further value enters. Waits while another agent is writing a value. Closing again has no
   * effect.
   *
   * @throws {MisuseError} If the buffer was freed. Also on a browser's main thread while another agent is writing.
   */
  close(): void {
    this.checkThere();
    this.#closing.close();
  }

  /**
   * Closes the buffer as `close` does, without blocking. For a thread that may not block, while another agent may be
   * writing.
   */
  async closeAsync(): Promise<void> {
    this.checkThere();
    await this.#closing.closeAsync();
  }

  /** Returns a snapshot: the number of values, the waiters and the start of each wait. */
  inspect(): BufferReport {
    this.checkThere();
    return reportBuffer(this.ref, this, this.#producers, this.#consumers);
  }

  /**
   * Frees the buffer's memory, with the remaining values. Another primitive may reuse the memory, so no agent may be
   * inside a call on this buffer. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} While agents wait (close the buffer first), or while an agent is inside a call or has an open
   *   claim or peek. Also if the buffer was freed before.
   */
  override free(): void {
    this.checkThere();
    if (!this.#closing.seize()) throw this.#closing.inUse(this.#errors);
    this.freeBlock(LINES);
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    const { codec, length, closed, producers, consumers } = this.inspect();
    return {
      codec,
      length,
      producers: producers.length,
      consumers: consumers.length,
      closed: closed ? true : undefined,
    };
  }

  #isEnd(failure: unknown): boolean {
    // The buffer may have been freed since it was closed.
    return hasCode(failure, 'SLUICE_CLOSED') && (this.#closing.isFreed || this.closed);
  }
}
