// The workers of a pool: starts them, replaces them when they die, ends them.
//
// A worker takes no task before its file is loaded. A worker that ends before that is stillborn. After several stillborn ones in a row the
// pool gives up. Workers beyond `least` start when there are more tasks than workers for them, and end when they have had none for a while.
// A worker that ends without having begun a task is barren, stillborn or not. After several in a row the next start is delayed, longer each
// time.

import { clearTimeout, setTimeout } from './timers.ts';
import type { Worker } from 'node:worker_threads';
import type { SharedMemories } from './clone/shared.ts';
import { WorkerFileError } from './errors.ts';
import { Hand, type HandEvents } from './hand.ts';
import type { Memory } from './memory.ts';
import type { ToWorker } from './messages.ts';
import type { Settings } from './options.ts';
import { startFailure } from './worker-file.ts';

/** How many workers in a row may be stillborn, beside the first `size`. */
const MOST_STILLBORN = 3;
/** The delay before the third barren worker in a row is replaced, in ms. It doubles each time, up to one second. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;

export interface CrewEvents extends Omit<HandEvents, 'onIdle' | 'onLeft'> {
  /** The number of tasks that have slots. */
  demand(): number;
  /** Workers do not start. `failure`: that of the last one. */
  onStillborn(failure: unknown): void;
}

export class Crew {
  readonly #settings: Settings;
  readonly #memory: Memory;
  readonly #memories: SharedMemories;
  readonly #events: CrewEvents;
  readonly #handEvents: HandEvents;
  readonly #hands = new Map<number, Hand>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #numbers = 0;
  #stillborn = 0;
  #barren = 0;
  /** Workers that take no more tasks, or were told so. */
  #leaving = 0;
  #isEnding = false;
  /** A worker was ready once. */
  #isFileThere = false;

  /** `graceMs`: how long a worker without tasks may take to end. */
  constructor(settings: Settings, memory: Memory, memories: SharedMemories, graceMs: number, events: CrewEvents) {
    this.#settings = settings;
    this.#memory = memory;
    this.#memories = memories;
    this.#events = events;
    this.#handEvents = {
      ...events,
      onReady: (hand) => this.#note(hand),
      onIdle: (hand) => this.#answer(hand),
      onLeaving: (hand) => this.#hearLeave(hand),
      onLeft: (hand) => setTimeout(() => hand.terminate(), graceMs).unref(),
      onExit: (hand, exitCode) => this.#lose(hand, exitCode),
    };
  }

  get size(): number {
    return this.#hands.size;
  }

  get threads(): Worker[] {
    return [...this.#hands.values()].map(({ thread }) => thread);
  }

  /** Throws what `Worker` throws; the caller must then terminate the workers that have started. */
  start(count: number): void {
    for (let n = 0; n < count; n++) this.#add();
  }

  /** Starts one more worker, if there are more tasks than workers for them, and there may be one. */
  grow(): void {
    if (this.#settings.least < this.#settings.size && this.#isWanted()) this.#tryAdd();
  }

  /** The worker takes no more tasks; another one takes its place. */
  retire(hand: Hand): void {
    this.#markLeaving(hand);
    hand.tell({ kind: 'leave' });
  }

  #markLeaving(hand: Hand): void {
    if (hand.isLeaving) return;
    hand.isLeaving = true;
    this.#leaving += 1;
    if (!this.#isEnding && this.#isWanted()) this.#tryAdd();
  }

  #hearLeave(hand: Hand): void {
    this.#markLeaving(hand);
    this.#events.onLeaving(hand);
  }

  /** The worker may end if the remaining ones are at least `least`, and enough for the demand. */
  #answer(hand: Hand): void {
    const { least, concurrentTasks } = this.#settings;
    const others = this.#workers - 1;
    if (!this.#isEnding && others >= least && others * concurrentTasks >= this.#events.demand()) this.retire(hand);
    else hand.tell({ kind: 'stay' });
  }

  /** The workers that take tasks, or will. */
  get #workers(): number {
    return this.#hands.size - this.#leaving + this.#pauses.size;
  }

  #isWanted(): boolean {
    const { least, size, concurrentTasks } = this.#settings;
    const workers = this.#workers;
    return workers < least || (workers < size && workers * concurrentTasks < this.#events.demand());
  }

  find(number: number): Hand | undefined {
    return this.#hands.get(number);
  }

  tellAll(message: ToWorker): void {
    for (const hand of this.#hands.values()) hand.tell(message);
  }

  /** A task has ended. */
  noteWork(): void {
    this.#barren = 0;
  }

  /** The tasks are closed: waits until all workers have ended. After `graceMs` the remaining ones are terminated. */
  async end(graceMs: number): Promise<void> {
    this.#stop();
    // Not `once` of node:events: that rejects on the error that a worker may end with.
    const exits = this.threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve)));
    const late = setTimeout(() => void this.terminate(), graceMs);
    for (const thread of this.threads) thread.ref();
    await Promise.all(exits);
    clearTimeout(late);
  }

  async terminate(): Promise<void> {
    this.#stop();
    await Promise.all(this.threads.map((thread) => thread.terminate()));
  }

  /** From here on no worker is replaced. */
  #stop(): void {
    this.#isEnding = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    this.#pauses.clear();
  }

  #add(): void {
    const { filename, name, concurrentTasks, atomics, idleTimeout, maxTasks, maxHeap, bufferBytes } = this.#settings;
    const { tasks, results, board } = this.#memory;
    const start = {
      number: (this.#numbers += 1),
      tasks: tasks.handle,
      results: results.handle,
      board: board.handle,
      memories: this.#memories.all,
      filename,
      name,
      concurrentTasks,
      atomics,
      idleTimeout,
      maxTasks,
      maxHeap,
      // Otherwise a single result could fill the buffer.
      longest: bufferBytes / 4,
    };
    const hand = new Hand(this.#settings, start, this.#handEvents);
    this.#hands.set(hand.number, hand);
  }

  #note(hand: Hand): void {
    this.#stillborn = 0;
    this.#isFileThere = true;
    this.#events.onReady(hand);
  }

  #lose(hand: Hand, exitCode: number): void {
    this.#hands.delete(hand.number);
    if (hand.isLeaving) this.#leaving -= 1;
    if (!hand.isReady) this.#stillborn += 1;
    if (!hand.isLeaving) this.#barren = this.#memory.board.hasTaken(hand.number) ? 0 : this.#barren + 1;
    this.#events.onExit(hand, exitCode);
    if (this.#isEnding) return;
    const failure = hand.isReady ? hand.failure : startFailure(hand.failure, this.#settings.thread);
    // Waiting does not make a missing file appear.
    const isHopeless = failure instanceof WorkerFileError && !this.#isFileThere;
    if (!isHopeless && this.#stillborn < MOST_STILLBORN + this.#settings.size) this.#replace();
    else this.#events.onStillborn(failure ?? new Error(`A worker ended with exit code ${exitCode} before it was ready.`));
  }

  #replace(): void {
    if (!this.#isWanted()) return;
    if (this.#barren <= 2) {
      this.#tryAdd();
      return;
    }
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#barren - 3));
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      if (this.#isWanted()) this.#tryAdd();
    }, pauseMs);
    this.#pauses.add(pause.unref());
  }

  #tryAdd(): void {
    try {
      this.#add();
    } catch (failure) {
      this.#events.onStillborn(failure);
    }
  }
}
