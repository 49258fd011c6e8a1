// Keeps the process alive while tasks are pending, and then until the messages of their workers have arrived.
//
// A result comes through shared memory, and may arrive before messages that its task posted earlier. Idle workers and
// their ports do not keep the process alive. So after the last result the event loop must read the ports once more
// before the process ends.

import { clearInterval, setInterval, setTimeout, turn } from '../platform/timers.ts';

/**
 * The delay before the pool checks whether it is still idle, in ms. A check after each task would make single tasks
 * slower.
 */
const LOOK_MS = 1;
/** The interval at which the pool checks whether late output is still read, in ms. */
const LATE_LOOK_MS = 20;

/** A worker, reduced to its output. */
export interface OutputSource {
  /**
   * Whether this thread reads the worker's output. It no longer does if the output is piped to a stream that was
   * closed.
   */
  readonly isRead: boolean;
}

export class KeepAlive {
  readonly #timer = setInterval(() => undefined, 2 ** 30).unref();
  /** Workers whose output is late. */
  readonly #late = new Set<OutputSource>();
  #isHeld = false;
  /** No task is pending. */
  #isResting = true;
  /** Counts how often the pool became idle or late output ended. */
  #rests = 0;
  #isLooking = false;
  #isOver = false;

  /** A task was added. */
  hold(): void {
    this.#isResting = false;
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#timer.ref();
  }

  /** No task is left. */
  rest(): void {
    this.#isResting = true;
    this.#rests += 1;
    this.#look();
  }

  /** The worker has printed something that this thread has not read. */
  expectFrom(worker: OutputSource): void {
    if (this.#isOver) return;
    this.#late.add(worker);
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#timer.ref();
    this.#look();
  }

  /** This thread has read everything that the worker printed, or the worker has ended. */
  expectNoMoreFrom(worker: OutputSource): void {
    if (!this.#late.delete(worker)) return;
    this.#rests += 1;
    this.#look();
  }

  /** The pool has ended. */
  stop(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  #look(afterMs = LOOK_MS): void {
    if (this.#isLooking || this.#isOver || !this.#isHeld) return;
    this.#isLooking = true;
    setTimeout(() => void this.#letGo(), afterMs);
  }

  /**
   * Lets the process end if no task is pending and no output is late. Otherwise checks again later, or when no task is
   * left.
   */
  async #letGo(): Promise<void> {
    const seen = this.#rests;
    await portsRead();
    this.#isLooking = false;
    if (!this.#isResting) return;
    for (const worker of this.#late) if (!worker.isRead) this.#late.delete(worker);
    if (this.#late.size > 0) {
      this.#look(LATE_LOOK_MS);
      return;
    }
    // A task has ended in the meantime, and its messages may still be on their way.
    if (this.#rests !== seen) {
      this.#look();
      return;
    }
    this.#isHeld = false;
    this.#timer.unref();
  }
}

/**
 * Resolves when this thread has received all messages that were posted to its ports before the call.
 *
 * It waits for two turns: during the first one the event loop may already be in the middle of reading the ports.
 */
export async function portsRead(): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await turn();
}
