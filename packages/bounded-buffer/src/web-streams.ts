// The entry '@sluice/bounded-buffer/web-streams': buffers as streams of the web platform.
//
// Each function documents which side closes the other. A stream of values has no queue of its own. A value leaves the
// buffer when a reader asks for it, in the same task in which the reader gets it. So a cancelled stream contains no
// value.

import { checkSignal, offAbort, onAbort, reasonOf, throwIfAborted } from '@sluice/core/calls';
import type { BoundedBuffer } from './buffer/bounded-buffer.ts';
import { isEnd, openParts, takeIfWanted } from './buffer/on-demand.ts';
import type { BufferParts } from './buffer/parts.ts';
import {
  checkStreamOptions,
  type ReadingOptions,
  type UndeliveredOptions,
  type WritingOptions,
} from './streams/stream-options.ts';

export type { ReadingOptions, UndeliveredOptions, WritingOptions } from './streams/stream-options.ts';

export interface WritableOptions<T> extends WritingOptions, UndeliveredOptions<T> {}

export interface FromWebStreamOptions<T> extends WritingOptions, UndeliveredOptions<T> {
  /** Stops the transfer: the source is cancelled, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The values of a buffer as a `ReadableStream`. Each read takes the next value, as `popAsync` does, and no value is
 * taken before a read asks for one.
 *
 * - The stream ends when the buffer is closed and empty. It fails with the errors of `popAsync`.
 * - `cancel` ends a read that waits. The values stay in the buffer, which is closed only with `close: true`.
 * - A value whose codec's `decode` throws is taken, and the stream fails with that error.
 *
 * @throws {TypeError} If it gets no buffer, or an option is wrong.
 *
 * ```ts run
 * import { BoundedBuffer } from '@sluice/bounded-buffer';
 * import { toWebStream } from '@sluice/bounded-buffer/web-streams';
 *
 * const lines = BoundedBuffer.create<string>();
 * lines.pushMany(['one', 'two']);
 * lines.close();
 * for await (const line of toWebStream(lines)) console.log(line); // one, two
 * ```
 */
export function toWebStream<T>(buffer: BoundedBuffer<T>, options: ReadingOptions = {}): ReadableStream<T> {
  const parts = openParts(buffer);
  checkStreamOptions(options, ['close']);
  const { close = false } = options;
  const source = new Source<T>(buffer, parts, close);
  // The stream has no queue of its own, so it asks for a value only when a read waits.
  const stream: ReadableStream<T> = new ReadableStream<T>(
    { pull: (controller) => source.pull(controller, stream), cancel: () => source.cancel() },
    { highWaterMark: 0 },
  );
  return stream;
}

/** Ends the wait of a stream that was cancelled. */
const CANCELLED = new Error('The stream was cancelled.');

class Source<T> {
  readonly #buffer: BoundedBuffer<T>;
  readonly #parts: BufferParts;
  readonly #close: boolean;
  readonly #controller = new AbortController();
  #pending: Promise<void> = Promise.resolve();

  constructor(buffer: BoundedBuffer<T>, parts: BufferParts, close: boolean) {
    this.#buffer = buffer;
    this.#parts = parts;
    this.#close = close;
  }

  async pull(controller: ReadableStreamDefaultController<T>, stream: ReadableStream<T>): Promise<void> {
    const { signal } = this.#controller;
    const outcome: { failure?: { readonly is: unknown } } = {};
    const receiver = {
      // No reader means that no read waits: the reader was released. The next read asks again.
      wants: () => !signal.aborted && stream.locked,
      receive: (value: T) => controller.enqueue(value),
      // Thrown later: here the agent is still inside its call on the buffer.
      fail: (is: unknown) => void (outcome.failure = { is }),
    };
    // Spends from the budget before a value is taken: a value that waits for the next turn could be lost with the
    // stream.
    const later = this.#parts.sides[1].budget.spend();
    const take = (): Promise<void> => takeIfWanted(this.#parts, { signal }, receiver);
    const taken = later === undefined ? take() : later.then(take);
    this.#pending = taken.catch(() => undefined);
    try {
      await taken;
    } catch (failure) {
      if (signal.aborted) return;
      if (!isEnd(failure)) await this.#fail(failure);
      controller.close();
      return;
    }
    if (outcome.failure !== undefined) await this.#fail(outcome.failure.is);
  }

  async #fail(failure: unknown): Promise<never> {
    if (this.#close) await closeAnyway(this.#buffer);
    throw failure;
  }

  async cancel(): Promise<void> {
    this.#controller.abort(CANCELLED);
    await this.#pending;
    if (this.#close) await this.#buffer.closeAsync();
  }
}

/**
 * A `WritableStream` whose writes put values into a buffer. `write` resolves when its value is in, as `pushAsync` does,
 * so the stream waits while the buffer is full.
 *
 * - `close` of the stream closes the buffer, unless `close: false`. An `abort` and a failed write close it, too: a
 *   buffer cannot pass an error on to its consumers.
 * - `abort` ends a write that waits. A value is in the buffer if, and only if, its write resolved. The value of a
 *   failed write goes to `undelivered`, because in an aborted `pipeTo` it has already left its source. Without
 *   `undelivered` it is dropped.
 *
 * @throws {TypeError} If it gets no buffer, or an option is wrong.
 */
export function toWebWritable<T>(buffer: BoundedBuffer<T>, options: WritableOptions<T> = {}): WritableStream<T> {
  openParts(buffer);
  checkStreamOptions(options, ['close', 'undelivered']);
  const { close = true, undelivered } = options;
  return new WritableStream<T>({
    async write(value, { signal }) {
      try {
        await buffer.pushAsync(value, { signal });
      } catch (failure) {
        undelivered?.(value);
        if (close) await closeAnyway(buffer);
        throw failure;
      }
    },
    async close() {
      if (close) await buffer.closeAsync();
    },
    async abort() {
      if (close) await buffer.closeAsync();
    },
  });
}

/**
 * Puts all values of a `ReadableStream` into a buffer, and resolves with their number. It reads the next value only
 * when the previous value is in.
 *
 * - At the end of the stream it closes the buffer, unless `close: false`.
 * - If a value cannot be put in (the buffer was closed, or refuses the value), it cancels the stream, closes the buffer
 *   unless `close: false`, and rejects. The same happens if `signal` is aborted, and if the stream fails.
 * - At most one value has then been read and is not in the buffer: `undelivered` is called with it.
 *
 * It rejects with `TypeError` if an argument is wrong or the stream is locked, and with `signal.reason` if the signal
 * is already aborted. Then nothing was read and nothing was closed.
 *
 * ```ts run
 * import { BoundedBuffer } from '@sluice/bounded-buffer';
 * import { fromWebStream } from '@sluice/bounded-buffer/web-streams';
 *
 * const bytes = BoundedBuffer.create({ codec: 'bytes' });
 * console.log(await fromWebStream(new Blob(['hello']).stream(), bytes), bytes.pop().length); // 1 5
 * ```
 */
export async function fromWebStream<T>(
  stream: ReadableStream<T>,
  buffer: BoundedBuffer<T>,
  options: FromWebStreamOptions<T> = {},
): Promise<number> {
  openParts(buffer);
  checkStreamOptions(options, ['close', 'signal', 'undelivered']);
  const { close = true, signal, undelivered } = options;
  if (signal !== undefined) checkSignal(signal);
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel(reasonOf(signal)).catch(() => undefined);
  let count = 0;
  try {
    onAbort(signal, stop);
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      await deliver(read.value, buffer, signal, undelivered);
      count += 1;
    }
    throwIfAborted(signal);
  } catch (failure) {
    await reader.cancel(failure).catch(() => undefined);
    if (close) await closeAnyway(buffer);
    throw failure;
  } finally {
    offAbort(signal, stop);
    reader.releaseLock();
  }
  if (close) await buffer.closeAsync();
  return count;
}

/** Puts in a value that was read. After an abort it does so only if there is room now. */
async function deliver<T>(
  value: T,
  buffer: BoundedBuffer<T>,
  signal: AbortSignal | undefined,
  undelivered: ((value: T) => void) | undefined,
): Promise<void> {
  try {
    if (!(signal?.aborted === true && buffer.tryPush(value))) await buffer.pushAsync(value, { signal });
  } catch (failure) {
    undelivered?.(value);
    throw failure;
  }
}

/**
 * Closes the buffer after a stream has failed. The caller gets the stream's failure, so a failure to close is ignored.
 */
async function closeAnyway<T>(buffer: BoundedBuffer<T>): Promise<void> {
  await buffer.closeAsync().catch(() => undefined);
}
