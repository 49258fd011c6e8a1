// The entry '@sluice/bounded-buffer/node-streams': buffers as streams of Node.js. The only file here that needs
// Node.js.
//
// Each function documents which side closes the other. The streams are in object mode and have no queue for reading. A
// value leaves the buffer when the stream asks for it, and the stream asks when its consumer does.

import { Duplex, Readable, Writable } from 'node:stream';
import type { BoundedBuffer } from './buffer/bounded-buffer.ts';
import { openParts } from './buffer/on-demand.ts';
import { NodeReading } from './streams/node-reading.ts';
import { NodeWriting } from './streams/node-writing.ts';
import {
  checkStreamOptions,
  type ReadingOptions,
  type UndeliveredOptions,
  type WritingOptions,
} from './streams/stream-options.ts';

export type { ReadingOptions, UndeliveredOptions, WritingOptions } from './streams/stream-options.ts';

export interface ReadableOptions<T> extends ReadingOptions, UndeliveredOptions<T> {}

export interface WritableOptions<T> extends WritingOptions, UndeliveredOptions<T> {}

export interface DuplexOptions<In, Out = In> extends UndeliveredOptions<In> {
  /** Like `undelivered`, for values that were written to the stream but not put into `target`. */
  readonly undeliveredToTarget?: ((value: Out) => void) | undefined;
  /** Whether the source buffer is closed when the stream is destroyed. Default `false`. */
  readonly closeSource?: boolean | undefined;
  /** Whether the target buffer is closed when the stream ends, even by a failure. Default `true`. */
  readonly closeTarget?: boolean | undefined;
}

/**
 * The values of a buffer as a `Readable`, one chunk for each value.
 *
 * - The stream ends when the buffer is closed and empty. An error of `popAsync` or of the codec's `decode` destroys it.
 * - `destroy` ends a wait for a value. The values stay in the buffer, which is closed only with `close: true`.
 * - If a value was taken and the consumer then paused or stopped, `undelivered` gets the value when the stream is
 *   destroyed. There is at most one such value. Without `undelivered` it is dropped.
 * - A chunk cannot be `null`: a buffer's value `null` destroys the stream with a `MisuseError`, and goes to
 *   `undelivered`.
 *
 * @throws {TypeError} If it gets no buffer, or an option is wrong.
 *
 * ```ts run
 * import { BoundedBuffer } from '@sluice/bounded-buffer';
 * import { toReadable } from '@sluice/bounded-buffer/node-streams';
 *
 * const lines = BoundedBuffer.create<string>();
 * lines.pushMany(['one', 'two']);
 * lines.close();
 * for await (const line of toReadable(lines)) console.log(line); // one, two
 * ```
 */
export function toReadable<T>(buffer: BoundedBuffer<T>, options: ReadableOptions<T> = {}): Readable {
  checkStreamOptions(options, ['close', 'undelivered']);
  const { close = false, undelivered } = options;
  const reading = new NodeReading<T>(buffer, openParts(buffer), close, undelivered);
  return new Readable({
    objectMode: true,
    highWaterMark: 0,
    read() {
      reading.read(this);
    },
    destroy(failure, callback) {
      endAll([reading.stop(this)], failure, callback);
    },
  });
}

/**
 * A `Writable` whose chunks are put into a buffer. A chunk's callback is called when its value is in, as `pushAsync`
 * resolves, so the stream holds its source back while the buffer is full.
 *
 * - `end` closes the buffer, unless `close: false`. `destroy` and a failed chunk close it, too: a buffer cannot pass an
 *   error on to its consumers.
 * - `destroy` ends a wait for room. A value is in the buffer if, and only if, its callback gets no error. Other values
 *   go to `undelivered`, because in an aborted `pipeline` they have already left their source. Without `undelivered`
 *   they are dropped.
 *
 * @throws {TypeError} If it gets no buffer, or an option is wrong.
 */
export function toWritable<T>(buffer: BoundedBuffer<T>, options: WritableOptions<T> = {}): Writable {
  checkStreamOptions(options, ['close', 'undelivered']);
  openParts(buffer);
  const writing = new NodeWriting<T>(buffer, options.close ?? true, options.undelivered);
  return new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(value: T, _encoding, callback) {
      writing.write(value, callback);
    },
    final(callback) {
      writing.end(callback);
    },
    destroy(failure, callback) {
      endAll([writing.stop(this, failure)], failure, callback);
    },
  });
}

/**
 * Creates a `Duplex` that reads from the buffer `source` and writes to the buffer `target`, for a conversation with
 * another thread. The readable half behaves as a stream of `toReadable`, the writable half as one of `toWritable`. The
 * halves end independently. `destroy` ends both.
 *
 * @throws {TypeError} If it gets no buffers, or an option is wrong.
 */
export function toDuplex<In, Out>(
  source: BoundedBuffer<In>,
  target: BoundedBuffer<Out>,
  options: DuplexOptions<In, Out> = {},
): Duplex {
  checkStreamOptions(options, ['closeSource', 'closeTarget', 'undelivered', 'undeliveredToTarget']);
  const { closeSource = false, closeTarget = true, undelivered, undeliveredToTarget } = options;
  openParts(target);
  const reading = new NodeReading<In>(source, openParts(source), closeSource, undelivered);
  const writing = new NodeWriting<Out>(target, closeTarget, undeliveredToTarget);
  return new Duplex({
    objectMode: true,
    readableHighWaterMark: 0,
    writableHighWaterMark: 1,
    read() {
      reading.read(this);
    },
    write(value: Out, _encoding, callback) {
      writing.write(value, callback);
    },
    final(callback) {
      writing.end(callback);
    },
    destroy(failure, callback) {
      endAll([reading.stop(this), writing.stop(this, failure)], failure, callback);
    },
  });
}

/**
 * Reports a stream's end to Node.js once its halves have ended. The first failure of a half is the stream's failure.
 */
function endAll(
  halves: readonly Promise<void>[],
  failure: Error | null,
  callback: (failure: Error | null) => void,
): void {
  void Promise.all(halves).then(
    () => callback(failure),
    (other: unknown) => callback(failure ?? (other as Error)),
  );
}
