// Receives results from their buffer until the pool ends.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import { now, sleep, turn } from './timers.ts';
import type { ValueCodec } from './clone/value-codec.ts';
import { resultHeadOf, resultValueOf, type ResultHead } from './wire.ts';

/** The longest time in which results are handled without a turn of the event loop, in ms. */
const BUSY_MS = 5;
/** The interval at which it looks for results while the arena has no room for a wait, in ms. */
const LOOK_MS = 5;

export interface ResultEvents {
  /** `read` throws if the value cannot be read. */
  onResult(head: ResultHead, read: () => unknown): void;
  /** Results can no longer be received. */
  onFailure(failure: unknown): void;
}

export class Results {
  readonly #buffer: BoundedBuffer<Uint8Array>;
  readonly #events: ResultEvents;
  readonly #codec: ValueCodec;
  /** The number of received results, mod 2^32. */
  #received = 0;
  #isClosed = false;
  /** The loop that receives results has not started, or has ended. */
  #isOver = true;
  #turned = now();

  constructor(buffer: BoundedBuffer<Uint8Array>, codec: ValueCodec, events: ResultEvents) {
    this.#buffer = buffer;
    this.#codec = codec;
    this.#events = events;
  }

  #hasEnded(): boolean {
    return this.#isClosed || this.#isOver;
  }

  /** Receives results until `close`. */
  start(): void {
    this.#isOver = false;
    this.#collect().catch((failure: unknown) => {
      this.#isOver = true;
      this.#events.onFailure(failure);
    });
  }

  /** Resolves when all results that are in the buffer now have been handled, or the pool has ended. */
  async caughtUp(): Promise<void> {
    if (this.#hasEnded()) return;
    const { pushed } = this.#buffer;
    while (!this.#hasEnded() && ((pushed - this.#received) | 0) > 0) await turn();
  }

  /** Call it when all workers have ended. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#buffer.close();
    if (this.#isOver) this.#buffer.free();
  }

  async #collect(): Promise<void> {
    try {
      for (;;) {
        for (const bytes of await this.#next()) this.#receive(bytes);
        await this.#letOthersGo();
      }
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    }
    this.#isOver = true;
    this.#buffer.free();
  }

  async #next(): Promise<Uint8Array[]> {
    for (;;) {
      try {
        return await this.#buffer.popManyAsync(Infinity, { ref: false });
      } catch (failure) {
        // No result is lost. A wait needs a little of the arena's memory, and other agents may free some.
        if (!hasCode(failure, 'SLUICE_ARENA_FULL')) throw failure;
        await sleep(LOOK_MS, undefined, { ref: false });
      }
    }
  }

  #receive(bytes: Uint8Array): void {
    this.#received = (this.#received + 1) >>> 0;
    this.#events.onResult(resultHeadOf(bytes), () => resultValueOf(bytes, this.#codec));
  }

  async #letOthersGo(): Promise<void> {
    if (now() - this.#turned < BUSY_MS) return;
    await turn();
    this.#turned = now();
  }
}
