// An event count: a shared counter on which workers sleep until the pool queues another task. Idle workers sleep here,
// except the leader (leadership.ts), and so do workers that run tasks and may run more.
//
//   word             value                                       written by
//   notifications    number of notifications, mod 2^32           the pool, workers (notify)
//
// A waiter in the buffer's line is promised a task, and must take it before other workers can proceed. A worker whose
// tasks compute cannot do so in time. It sleeps on this word instead, which promises nothing.
//
// INVARIANT: a worker reads `notifications`, then looks for tasks, and sleeps only if the word is unchanged. `notify`
// changes the word after the task is in the buffer, and then wakes a sleeper. If the worker read the word after its
// look (the mutant "a sleep does not compare with the notifications that were read before the check"), a task and its
// notification could come between the look and the read. The worker would then sleep on the new value.

import type { AgentContext, Words } from '@sluice/core/internal';

type CountWords = Pick<Words, 'load32' | 'add32'>;
type Parking = Pick<AgentContext['parking'], 'wait' | 'waitAsync' | 'notify'>;

export class PoolEventCount {
  readonly #words: CountWords;
  readonly #parking: Parking;
  readonly #address: number;

  constructor(words: CountWords, parking: Parking, address: number) {
    this.#words = words;
    this.#parking = parking;
    this.#address = address;
  }

  get notifications(): number {
    return this.#words.load32(this.#address);
  }

  /** Wakes the worker that has slept longest. Call it after the task is in the buffer. */
  notify(): void {
    this.#words.add32(this.#address, 1);
    this.#parking.notify(this.#address, 1);
  }

  /** Wakes all workers. Call it after the buffer is closed. */
  notifyAll(): void {
    this.#words.add32(this.#address, 1);
    this.#parking.notify(this.#address, Infinity);
  }

  /** Blocks until a notification, at most `timeoutMs`. Returns at once if one came since `seen` was read. */
  wait(seen: number, timeoutMs: number): void {
    this.#parking.wait(this.#address, seen, timeoutMs);
  }

  /** Wakes the next worker, without a new notification. For a worker that was woken and takes no task. */
  wakeNext(): void {
    this.#parking.notify(this.#address, 1);
  }

  /** Resolves when the worker is woken. Returns `undefined` if a notification came since `seen` was read. */
  waitAsync(seen: number): Promise<unknown> | undefined {
    return this.#parking.waitAsync(this.#address, seen);
  }
}

export interface TaskListenerEvents {
  /** A notification came while the listener listened. */
  onNotify(): void;
  hasTask(): boolean;
}

/**
 * A worker's side of the event count. A sleep cannot be cancelled, so one sleep serves every call of `listen` until it
 * ends.
 */
export class TaskListener {
  readonly #eventCount: PoolEventCount;
  readonly #events: TaskListenerEvents;
  #isListening = false;
  /** A sleep is pending. The next notification may end it, whether the listener listens or not. */
  #isAsleep = false;

  constructor(eventCount: PoolEventCount, events: TaskListenerEvents) {
    this.#eventCount = eventCount;
    this.#events = events;
  }

  /**
   * Starts to listen: a notification then calls `onNotify`. Returns false if one came since `notifications` was read.
   */
  listen(notifications: number): boolean {
    if (!this.#isAsleep) {
      const woken = this.#eventCount.waitAsync(notifications);
      if (woken === undefined) return false;
      this.#isAsleep = true;
      void woken.then(() => this.#handleWake());
    }
    this.#isListening = true;
    return true;
  }

  stopListening(): void {
    this.#isListening = false;
  }

  #handleWake(): void {
    this.#isAsleep = false;
    if (this.#isListening) this.#events.onNotify();
    else if (this.#events.hasTask()) this.#eventCount.wakeNext();
  }
}
