// The half of a Node.js stream that puts values into a buffer.

import type { BoundedBuffer } from '../buffer/bounded-buffer.ts';

type Callback = (failure?: Error | null) => void;

export class NodeWriting<T> {
  readonly #buffer: BoundedBuffer<T>;
  readonly #close: boolean;
  readonly #undelivered: ((value: T) => void) | undefined;
  readonly #controller = new AbortController();
  #pending: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(buffer: BoundedBuffer<T>, close: boolean, undelivered: ((value: T) => void) | undefined) {
    this.#buffer = buffer;
    this.#close = close;
    this.#undelivered = undelivered;
  }

  write(value: T, callback: Callback): void {
    const pushed = this.#buffer.pushAsync(value, { signal: this.#controller.signal });
    this.#pending = pushed.catch(() => undefined);
    void pushed.then(
      () => callback(),
      (failure: unknown) => {
        callback(failure as Error);
        this.#undelivered?.(value);
      },
    );
  }

  /** Called when all values are in the buffer. */
  end(callback: Callback): void {
    void this.#shut().then(
      () => callback(),
      (failure: unknown) => callback(failure as Error),
    );
  }

  /** Called when the stream is destroyed, after its end or instead of it. */
  async stop(stream: object, failure: Error | null): Promise<void> {
    // Node.js drops these chunks when this call has returned.
    const { writableBuffer = [] } = stream as { readonly writableBuffer?: readonly { readonly chunk: T }[] };
    const waiting = writableBuffer.map(({ chunk }) => chunk);
    this.#controller.abort(
      failure ?? new DOMException('The stream was destroyed before the value was put in', 'AbortError'),
    );
    await this.#pending;
    for (const value of waiting) this.#undelivered?.(value);
    await this.#shut();
  }

  async #shut(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#close) await this.#buffer.closeAsync();
  }
}
