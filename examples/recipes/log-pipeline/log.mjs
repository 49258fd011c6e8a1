import { BoundedBuffer } from 'sluice';

/** The log of one thread. It never blocks: when the writer is behind, entries are dropped and counted. */
export class Log {
  #lines;
  #source;
  #dropped = 0;

  /**
   * @param {import('sluice').BoundedBufferHandle<unknown>} handle
   * @param {string} source
   */
  constructor(handle, source) {
    this.#lines = BoundedBuffer.from(handle);
    this.#source = source;
  }

  /** @param {string} message */
  info(message) {
    const entry = {
      at: Date.now(),
      source: this.#source,
      message,
      ...(this.#dropped > 0 ? { dropped: this.#dropped } : {}),
    };
    if (this.#lines.tryPush(entry)) this.#dropped = 0;
    else this.#dropped += 1; // the next entry that fits says how many are missing
  }

  /** The last entries are too important to be dropped: this waits for room. */
  end() {
    this.#lines.push({ at: Date.now(), source: this.#source, message: 'end', dropped: this.#dropped });
  }
}
