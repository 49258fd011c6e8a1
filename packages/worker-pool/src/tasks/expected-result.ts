// The pool's thread looks for the result of a short task in the next turns of its event loop, before that loop sleeps
// (stay-awake.ts). The turns are the event loop's own: timers, sockets and promises are served between two looks.

import { AWAKE_MS, StayAwake } from '../platform/stay-awake.ts';
import { setImmediate } from '../platform/timers.ts';

/** The thread looks for a result only if the last tasks took less than this on average, in ms. */
const SHORT_MS = 0.05;
/** The weight of the last task in the average. */
const WEIGHT = 1 / 8;
/** How often it looks in one turn: together about a microsecond. */
const LOOKS = 8;

export interface ExpectedResultEvents {
  hasResult(): boolean;
  /** A result is there, or none came in time. */
  onDone(): void;
}

export class ExpectedResult {
  readonly #stayAwake: StayAwake;
  /** The thread has a core for itself while fewer tasks run than there are cores. */
  readonly #mostTasks: number;
  readonly #events: ExpectedResultEvents;
  readonly #now: () => number;
  /** The average time that the last tasks took in their workers, in ms. */
  #taskMs = Infinity;
  #began = 0;
  #looked = 0;
  readonly #onTurn = (): void => this.#look();

  constructor(events: ExpectedResultEvents, cores: number, now: () => number) {
    this.#stayAwake = new StayAwake(cores);
    this.#mostTasks = cores - 1;
    this.#events = events;
    this.#now = now;
  }

  /** Records how long a task took in its worker, in ms. */
  note(taskMs: number): void {
    this.#taskMs = this.#taskMs === Infinity ? taskMs : this.#taskMs + (taskMs - this.#taskMs) * WEIGHT;
  }

  /** Whether the next result is likely to come at once, with so many tasks in flight. */
  isLikely(tasks: number): boolean {
    return tasks <= this.#mostTasks && this.#taskMs <= SHORT_MS && this.#stayAwake.mayBegin(this.#now());
  }

  /** Looks in each turn until a result is there or the time is up, and then calls `onDone`. */
  begin(): void {
    this.#began = this.#looked = this.#now();
    setImmediate(this.#onTurn);
  }

  #look(): void {
    for (let looks = 0; looks < LOOKS; looks++) {
      if (!this.#events.hasResult()) continue;
      this.#stayAwake.noteFound();
      this.#events.onDone();
      return;
    }
    const now = this.#now();
    this.#stayAwake.noteLooks(this.#looked, now);
    if (now - this.#began < AWAKE_MS) {
      this.#looked = now;
      setImmediate(this.#onTurn);
      return;
    }
    this.#stayAwake.noteInVain(now);
    this.#events.onDone();
  }
}
