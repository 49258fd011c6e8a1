// How a worker that runs tasks and may run more sleeps until the pool puts another one into the buffer.
//
//   word      value                                        written by
//   rings     how many tasks the pool has put in, mod 2^32 the pool (ring)
//
// A worker that waits in the buffer's line is promised a task, and must take it before others can go on. A worker whose tasks compute cannot
// promise that. So it sleeps on this word, which promises nothing.
//
// INVARIANT: a worker sleeps only if no task was put in since it read `rings`, and it looked for tasks after that read. `ring` writes the word
// after the task is in the buffer and before it notifies.

import type { AgentContext, Words } from '@sluice/core/internal';

type BellWords = Pick<Words, 'load32' | 'add32'>;
type Parking = Pick<AgentContext['parking'], 'waitAsync' | 'notify'>;

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

  /** A task is in the buffer: wakes the worker that sleeps longest. */
  ring(): void {
    this.#words.add32(this.#address, 1);
    this.#parking.notify(this.#address, 1);
  }

  /** For a worker that was woken and takes no task: wakes the next one. */
  passOn(): void {
    this.#parking.notify(this.#address, 1);
  }

  /** Resolves when the worker is woken. `undefined`: it was rung since `seen` was read. */
  sleep(seen: number): Promise<unknown> | undefined {
    return this.#parking.waitAsync(this.#address, seen);
  }
}

export interface EarEvents {
  /** It listens, and the bell has rung. */
  onRing(): void;
  isTaskThere(): boolean;
}

/** A worker's end of the bell. A sleep cannot be ended, so one sleep serves all that the worker begins meanwhile. */
export class Ear {
  readonly #bell: Bell;
  readonly #events: EarEvents;
  #isListening = false;
  /** The next ring may come to it, whether it listens or not. */
  #isAsleep = false;

  constructor(bell: Bell, events: EarEvents) {
    this.#bell = bell;
    this.#events = events;
  }

  /** `onRing` will be called when a task comes. False: one came since `rings` was read. */
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
