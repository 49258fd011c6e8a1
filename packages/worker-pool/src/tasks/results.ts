// Receives results from their buffer until the pool ends. While there are none, a worker wakes this thread
// (wake-message.ts), unless the thread looks for the next one by itself (expected-result.ts).

import { hasCode } from '@sluice/core';
import { availableParallelism } from 'node:os';
import type { TaskCodec } from '../clone/task-codec.ts';
import type { Memory } from '../shared/memory.ts';
import { ExpectedResult } from './expected-result.ts';
import { now, setImmediate, setTimeout, turn } from '../platform/timers.ts';
import { resultHeadOf, resultValueOf, type ResultHead } from '../messages/wire.ts';

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
  readonly #buffer: Memory['results'];
  readonly #wakeMessage: Memory['slotTable']['wakeMessage'];
  readonly #events: ResultEvents;
  readonly #codec: TaskCodec;
  readonly #now: () => number;
  /** The number of received results, mod 2^32. */
  #received = 0;
  /** No results are received: it has not started, has failed, or is closed. */
  #isOver = true;
  #isClosed = false;
  /** It handles results, or will look for results without a message. */
  #isAwake = false;
  /** When the event loop last turned. */
  #turned: number;
  readonly #expected: ExpectedResult;

  constructor(
    { results, slotTable }: Pick<Memory, 'results' | 'slotTable'>,
    codec: TaskCodec,
    events: ResultEvents,
    clock: () => number = now,
    cores: number = availableParallelism(),
  ) {
    this.#buffer = results;
    this.#wakeMessage = slotTable.wakeMessage;
    this.#codec = codec;
    this.#events = events;
    this.#now = clock;
    this.#turned = clock();
    const hasResult = (): boolean => this.#isOver || this.#hasSome();
    this.#expected = new ExpectedResult({ hasResult, onDone: () => this.#goOn() }, cores, clock);
  }

  /** Also `true` if the buffer cannot be read: the failure then comes up where results are received. */
  #hasSome(): boolean {
    try {
      return this.#buffer.length > 0;
    } catch {
      return true;
    }
  }

  /** A call, because the compiler takes a field that it has checked for unchanged. */
  #hasEnded(): boolean {
    return this.#isOver;
  }

  /** Receives results until `close`. */
  start(): void {
    this.#isOver = false;
    this.receive();
  }

  /**
   * Handles the results that are in the buffer, unless it is about to do so. For a wake-up, and for the end of a worker.
   */
  receive(): void {
    if (this.#isAwake || this.#isOver) return;
    this.#isAwake = true;
    this.#turned = this.#now();
    this.#receiveAll();
  }

  /**
   * Stays awake for the next result if it is likely to come at once. Call it before a task is put in, with the number
   * of tasks in flight. Then no worker sends a message for that result.
   */
  expect(inFlight: number): void {
    if (this.#isAwake || this.#isOver || !this.#expected.isLikely(inFlight) || !this.#wakeMessage.stayAwake()) return;
    this.#isAwake = true;
    this.#expected.begin();
  }

  /** Resolves when all results that are in the buffer now have been handled, or the pool has ended. */
  async caughtUp(): Promise<void> {
    if (this.#hasEnded()) return;
    const { pushed } = this.#buffer;
    // A worker that died before it sent the message has left results, its own or those of others.
    this.receive();
    while (!this.#hasEnded() && ((pushed - this.#received) | 0) > 0) await turn();
  }

  /** Call it when all workers have ended. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isOver = true;
    this.#buffer.close();
    if (!this.#isAwake) this.#buffer.free();
  }

  /** Handles results until there are none, or until the event loop must turn. */
  #receiveAll(): void {
    try {
      while (!this.#isOver) {
        const batch = this.#buffer.tryPopMany();
        for (const bytes of batch) this.#handle(bytes);
        if (batch.length === 0) {
          this.#wakeMessage.setAsleep();
          // Look again after setting the word. A result that is counted but was not taken is still held by a dead
          // agent.
          if (this.#buffer.length > 0) void this.#receiveInLine();
          else this.#isAwake = false;
          return;
        }
        if (this.#now() - this.#turned >= BUSY_MS) {
          setImmediate(() => this.#goOn());
          return;
        }
      }
      this.#end();
    } catch (failure) {
      this.#handleFailure(failure);
    }
  }

  #goOn(): void {
    this.#turned = this.#now();
    this.#receiveAll();
  }

  async #receiveInLine(): Promise<void> {
    try {
      for (const bytes of await this.#buffer.popManyAsync(Infinity, { ref: false })) this.#handle(bytes);
    } catch (failure) {
      this.#handleFailure(failure);
      return;
    }
    this.#goOn();
  }

  #handleFailure(failure: unknown): void {
    if (hasCode(failure, 'SLUICE_ARENA_FULL')) {
      // No result is lost. A wait needs a little of the arena's memory, and other agents may free some.
      setTimeout(() => this.#goOn(), LOOK_MS).unref();
      return;
    }
    this.#isOver = true;
    this.#end();
    if (!hasCode(failure, 'SLUICE_CLOSED')) this.#events.onFailure(failure);
  }

  #end(): void {
    this.#isAwake = false;
    if (this.#isClosed) this.#buffer.free();
  }

  #handle(bytes: Uint8Array): void {
    this.#received = (this.#received + 1) >>> 0;
    const head = resultHeadOf(bytes);
    this.#expected.note(head.ended - head.began);
    this.#events.onResult(head, () => resultValueOf(bytes, this.#codec));
  }
}
