// The message that wakes the pool's thread: a worker that has put a result into the buffer sends it if that thread
// sleeps.
//
//   word     value                                            written by
//   asleep   1: the pool's thread waits for a message         the pool (setAsleep, stayAwake), workers (claim)
//            0: it looks for results by itself
//
// A message to a port needs no element in a line, which an async wait at the buffer does.
//
// INVARIANT: the thread sets the word to 1, then looks for results, and sleeps only if there are none. A worker puts
// its result in, then clears the word, and sends the message if the word was 1. So one of the two sees the other's
// write. If the thread looked before it set the word, a result could come after the look, find 0, and send no message.
// If the thread stays awake instead, it clears the word as a worker does. Only one of the two succeeds.
// If a worker dies before it sends the message, the pool still looks for results when that worker ends.

import type { Words } from '@sluice/core/internal';

type WakeWords = Pick<Words, 'load32' | 'store32' | 'cas32'>;

export class WakeMessage {
  readonly #words: WakeWords;
  readonly #address: number;

  constructor(words: WakeWords, address: number) {
    this.#words = words;
    this.#address = address;
  }

  /** For the pool's thread, before its last look for results: from now on workers send a message. */
  setAsleep(): void {
    this.#words.store32(this.#address, 1);
  }

  /**
   * For the pool's thread, while it may sleep: from now on workers send no message, and the thread must look for results
   * until it calls `setAsleep`. Returns false if a worker is about to send its message. Then nothing changes.
   */
  stayAwake(): boolean {
    return this.claim();
  }

  /** For a worker that has put a result in. Returns whether the worker must send the message. */
  claim(): boolean {
    // Most results find the thread awake. The load keeps the word's cache line shared.
    return this.#words.load32(this.#address) === 1 && this.#words.cas32(this.#address, 1, 0) === 1;
  }
}
