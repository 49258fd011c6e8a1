// Asks the event loops of threads whether they turn, and whether the threads exist.

import type { ThreadSnapshot } from './process-snapshot.ts';
import { ARMED, BRIEF, ENDED, FULL, QUESTION, STATE, TOKEN, type WordTable } from './word-table.ts';

/** The longest time in ms between two questions to a thread that answers. */
const PAUSE_MS = 1000;
/** Questions that are left for pages. */
const RESERVE = 8;

/** The last question to a thread, whether the thread has answered it or not. */
interface Asked {
  /** The thread's start: a slot may have another thread later. */
  readonly started: number;
  readonly at: number;
  /** The number of answers before it. */
  readonly answers: number;
}

export class Questions {
  readonly #table: WordTable;
  readonly #asked = new Map<number, Asked>();

  constructor(table: WordTable) {
    this.#table = table;
  }

  /** Asks the threads that have answered their previous question. */
  ask(threads: readonly ThreadSnapshot[], after: number): void {
    const pause = Math.min(PAUSE_MS, after / 4);
    const now = this.#table.clock;
    for (const thread of threads) {
      if (thread.state !== 'running') continue;
      const last = this.#last(thread);
      if (last !== undefined && (last.answers === thread.answers || now - last.at < pause)) continue;
      this.#put(thread, BRIEF, RESERVE);
    }
  }

  /** Asks all threads for full answers. Marks those that have ended. */
  askAll(threads: readonly ThreadSnapshot[]): void {
    for (const thread of threads) if (thread.state === 'running') this.#put(thread, FULL, 1);
  }

  /** Whether the thread has answered the last question. */
  hasAnswered(thread: ThreadSnapshot): boolean {
    const last = this.#last(thread);
    return last === undefined || thread.answers > last.answers;
  }

  /** Maps the threads that have not answered to the times of their questions. */
  stalledSince(threads: readonly ThreadSnapshot[]): ReadonlyMap<number, number> {
    const silent = threads.filter((thread) => thread.state === 'running' && !this.hasAnswered(thread));
    return new Map(silent.map((thread) => [thread.index, this.#last(thread)?.at ?? this.#table.clock]));
  }

  #last({ index, started }: ThreadSnapshot): Asked | undefined {
    const last = this.#asked.get(index);
    return last?.started === started ? last : undefined;
  }

  #put(thread: ThreadSnapshot, question: number, reserve: number): void {
    const table = this.#table;
    const slot = table.slot(thread.index);
    if (table.word(slot + ARMED) <= reserve) return;
    const last = this.#last(thread);
    const isOpen = last !== undefined && last.answers === thread.answers;
    // An open question keeps its time, because the event loop has not turned since then.
    const at = isOpen ? last.at : table.clock;
    this.#asked.set(thread.index, { started: thread.started, at, answers: thread.answers });
    table.setWord(slot + QUESTION, question);
    Atomics.sub(table.words, (slot + ARMED) >> 2, 1);
    const isAlive = Atomics.notify(table.words, (slot + TOKEN) >> 2, 1) === 1;
    if (!isAlive && table.word(slot + STATE) !== ENDED) table.end(slot);
  }
}
