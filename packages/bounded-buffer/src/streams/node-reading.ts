// The half of a Node.js stream that takes values out of a buffer.

import { MisuseError } from '@sluice/core';
import type { Readable } from 'node:stream';
import type { BoundedBuffer } from '../buffer/bounded-buffer.ts';
import { isEnd, takeIfWanted } from '../buffer/on-demand.ts';
import type { BufferParts } from '../buffer/parts.ts';

/** Ends the wait of a stream that was destroyed. */
const DESTROYED = new Error('The stream was destroyed.');

export class NodeReading<T> {
  readonly #buffer: BoundedBuffer<T>;
  readonly #parts: BufferParts;
  readonly #close: boolean;
  readonly #undelivered: ((value: T) => void) | undefined;
  readonly #controller = new AbortController();
  #pending: Promise<void> = Promise.resolve();
  /** The values that the stream was given and may not have passed on yet. */
  #given: T[] = [];
  #hasEnded = false;

  constructor(
    buffer: BoundedBuffer<T>,
    parts: BufferParts,
    close: boolean,
    undelivered: ((value: T) => void) | undefined,
  ) {
    this.#buffer = buffer;
    this.#parts = parts;
    this.#close = close;
    this.#undelivered = undelivered;
  }

  read(stream: Readable): void {
    this.#pending = this.#take(stream);
  }

  /** Called when the stream is destroyed. */
  async stop(stream: Readable): Promise<void> {
    // Otherwise a `resume` in progress would still deliver the values in the stream.
    stream.pause();
    const left = stream.readableLength;
    this.#controller.abort(DESTROYED);
    await this.#pending.catch(() => undefined);
    // With `slice(-left)`, 0 would return all values.
    for (const value of this.#given.slice(this.#given.length - left)) this.#undelivered?.(value);
    this.#given = [];
    if (this.#close && !this.#hasEnded) await this.#buffer.closeAsync();
  }

  /**
   * Takes values for the stream. Rejects only with the error of a listener of the stream: it then is an unhandled
   * rejection.
   */
  async #take(stream: Readable): Promise<void> {
    const outcome: { value?: { readonly is: T }; failure?: { readonly is: unknown } } = {};
    try {
      // Spends from the budget before a value is taken: a value that waits for the next turn could be lost with the
      // stream.
      const later = this.#parts.sides[1].budget.spend();
      if (later !== undefined) await later;
      await takeIfWanted<T>(
        this.#parts,
        { signal: this.#controller.signal },
        {
          wants: () => !stream.destroyed,
          // The value does not go to the stream here: its listeners would run inside the call on the buffer.
          receive: (is) => void (outcome.value = { is }),
          fail: (is) => void (outcome.failure = { is }),
        },
      );
    } catch (failure) {
      this.#end(stream, failure);
      return;
    }
    if (outcome.failure !== undefined) stream.destroy(outcome.failure.is as Error);
    else if (outcome.value !== undefined) this.#give(stream, outcome.value.is);
  }

  #end(stream: Readable, failure: unknown): void {
    if (stream.destroyed) return;
    this.#hasEnded = isEnd(failure);
    if (this.#hasEnded) stream.push(null);
    else stream.destroy(failure as Error);
  }

  #give(stream: Readable, value: T): void {
    if (!stream.destroyed && value !== null) {
      this.#given.push(value);
      stream.push(value);
      // Forgets the values that the stream has passed on.
      this.#given.splice(0, this.#given.length - stream.readableLength);
      return;
    }
    this.#undelivered?.(value);
    if (stream.destroyed) return;
    stream.destroy(
      new MisuseError(
        `${String(this.#buffer)} had the value null, which ends a stream of Node.js. The value was taken, and the stream is destroyed.`,
      ),
    );
  }
}
