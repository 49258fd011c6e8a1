// How idle workers sleep until the pool puts another task into the buffer: all but the one that has the post (post.ts), and workers that run
// tasks and may run more.
//
//   word      value                                        written by
//   rings     how often the bell has rung, mod 2^32        the pool, workers (ring)
//
// A worker that waits in the buffer's line is promised a task, and must take it before other workers can proceed. A worker whose tasks
// compute cannot promise that. So it sleeps on this word, which promises nothing.
//
// INVARIANT: a worker looks for tasks after it has read `rings`, and sleeps only if the bell has not rung since that read. `ring` writes the
// word after the task is in the buffer and before it notifies.

import type { AgentContext, Words } from '@sluice/core/internal';

type BellWords = Pick<Words, 'load32' | 'add32'>;
type Parking = Pick<AgentContext['parking'], 'wait' | 'waitAsync' | 'notify'>;

export class Bell {
  readonly #words: BellWords;
  readonly #parking: Parking;
  readonly #address: number;

  constructor(words: BellWords, parking: Parking, address: number) {
    this.#words = words;
    this.#parking = parking;
    this.#address = address;
  }

  get rings(): number {
    return this.#words.load32(this.#address);
  }

  /** Call it when a task is in the buffer. Wakes the worker that has slept longest. */
  ring(): void {
    this.#words.add32(this.#address, 1);
    this.#parking.notify(this.#address, 1);
  }

  /** The buffer is closed: wakes all. */
  ringForAll(): void {
    this.#words.add32(this.#address, 1);
    this.#parking.notify(this.#address, Infinity);
  }

  /** Blocks until the bell rings, if it has not since `seen` was read. */
  block(seen: number, timeoutMs: number): void {
    this.#parking.wait(this.#address, seen, timeoutMs);
  }

  /** For a worker that was woken and takes no task: wakes the next one. */
  passOn(): void {
    this.#parking.notify(this.#address, 1);
  }

  /** Resolves when the worker is woken. Returns `undefined` if the bell has rung since `seen` was read. */
  sleep(seen: number): Promise<unknown> | undefined {
    return this.#parking.waitAsync(this.#address, seen);
  }
}

export interface EarEvents {
  /** The ear listens, and the bell has rung. */
  onRing(): void;
  isTaskThere(): boolean;
}

/** A worker's end of the bell. A sleep cannot be cancelled, so one sleep serves every call of `listen` until it ends. */
export class Ear {
  readonly #bell: Bell;
  readonly #events: EarEvents;
  #isListening = false;
  /** A sleep is pending: the next ring may wake it, whether the ear listens or not. */
  #isAsleep = false;

  constructor(bell: Bell, events: EarEvents) {
    this.#bell = bell;
    this.#events = events;
  }

  /** Starts to listen: `onRing` is called when a task arrives. Returns false if one arrived since `rings` was read. */
  listen(rings: number): boolean {
    if (!this.#isAsleep) {
      const rung = this.#bell.sleep(rings);
      if (rung === undefined) return false;
      this.#isAsleep = true;
      void rung.then(() => this.#hear());
    }
    this.#isListening = true;
    return true;
  }

  ignore(): void {
    this.#isListening = false;
  }

  #hear(): void {
    this.#isAsleep = false;
    if (this.#isListening) this.#events.onRing();
    else if (this.#events.isTaskThere()) this.#bell.passOn();
  }
}
