// Keeps the process alive while tasks are pending, and then until what their workers sent has arrived.
//
// A result comes through shared memory, and may arrive before what its task had posted to a port. Idle workers, and their ports, do not keep the
// process alive. So the process must not end right after the last result: the event loop has to look at the ports once more.

import { clearInterval, setInterval, setTimeout, turn } from './timers.ts';

/** The delay, in ms, after which the pool checks whether it is still idle. A check after each task would make single tasks slower. */
const LOOK_MS = 1;
/** How often it looks whether output that is late is still read, in ms. */
const LATE_LOOK_MS = 20;

/** A worker, as this file needs it. */
export interface Printing {
  /** Whether this thread reads what the worker prints. A pipe to an output that was closed reads no more. */
  readonly isRead: boolean;
}

export class Alive {
  readonly #timer = setInterval(() => undefined, 2 ** 30).unref();
  /** Workers whose output is late. */
  readonly #late = new Set<Printing>();
  #isHeld = false;
  /** No task is pending. */
  #isResting = true;
  /** Counts the ends of the last task, and the ends of late output. */
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
  expectFrom(worker: Printing): void {
    if (this.#isOver) return;
    this.#late.add(worker);
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#timer.ref();
    this.#look();
  }

  /** This thread has read everything that the worker printed, or the worker has ended. */
  expectNoMoreFrom(worker: Printing): void {
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

  /** Lets the process end if no task is pending and no output is late. Otherwise another look follows, or the end of the task brings it. */
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
    // A task has ended meanwhile, and its messages may be on their way.
    if (this.#rests !== seen) {
      this.#look();
      return;
    }
    this.#isHeld = false;
    this.#timer.unref();
  }
}

/**
 * Resolves when all messages that were posted to ports of this thread before the call were received. The event loop may be in the middle of reading the
 * ports, so one more turn follows.
 */
export async function portsRead(): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await turn();
}
