// Tasks that were cancelled and continue to run. After `abortGrace` the pool ends their worker, as soon as that loses no other task.

import { setTimeout } from './timers.ts';
import type { Crew } from './crew.ts';
import type { Hand } from './hand.ts';
import type { Settings } from './options.ts';
import type { Queue } from './queue.ts';
import type { Task } from './task.ts';

export class Runaways {
  readonly #settings: Settings;
  readonly #queue: Queue;
  readonly #crew: Crew;
  readonly #stuckMs: number;
  /** Workers that take no more tasks, and are ended when they run nothing else. */
  readonly #hands = new Set<Hand>();

  /** `stuckMs`: after this many ms without a turn of its event loop, a worker counts as stuck. */
  constructor(settings: Settings, queue: Queue, crew: Crew, stuckMs: number) {
    this.#settings = settings;
    this.#queue = queue;
    this.#crew = crew;
    this.#stuckMs = stuckMs;
  }

  /** The worker runs the task, which was cancelled and told to stop. */
  watch(task: Task, hand: Hand): void {
    const { abortGrace } = this.#settings;
    this.look();
    if (abortGrace !== Infinity) setTimeout(() => this.#endIfRunning(task, hand), abortGrace).unref();
  }

  /** Ends the workers that run nothing else: called after the end of a task, and when one was cancelled. */
  look(): void {
    for (const hand of this.#hands) this.lookAt(hand);
  }

  /** Acts only if `hand.hasHeard`: before that the worker might still take another task. */
  lookAt(hand: Hand): void {
    if (!this.#hands.has(hand) || !hand.hasHeard) return;
    if (this.#queue.takenBy(hand.number).every(({ settled }) => settled)) hand.terminate();
  }

  /** The worker has ended. */
  forget(hand: Hand): void {
    this.#hands.delete(hand);
  }

  #endIfRunning(task: Task, hand: Hand): void {
    if (this.#hands.has(hand) || !this.#queue.isTakenBy(task, hand.number)) return;
    if (this.#settings.concurrentTasks === 1) {
      hand.terminate();
      return;
    }
    this.#hands.add(hand);
    this.#crew.retire(hand);
    setTimeout(() => this.#endIfStuck(hand), this.#stuckMs).unref();
    this.lookAt(hand);
  }

  /** Its other tasks cannot proceed, either. */
  #endIfStuck(hand: Hand): void {
    if (this.#hands.has(hand) && !hand.hasHeard) hand.terminate();
  }
}
