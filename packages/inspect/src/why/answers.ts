// Answers the reporter's questions. A question notifies one of the async waits of the thread's TOKEN, so it reaches the
// thread when its event loop turns, and costs nothing until then. A notify that wakes no wait finds that the thread has
// ended: the engine drops the waits of a thread with the thread.

import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { BroadcastChannel } from 'node:worker_threads';
import { ANSWERS_CHANNEL } from './reporter-data.ts';
import { keepsAlive } from './keeps-alive.ts';
import type { ThreadNotes } from './thread-notes.ts';
import type { OwnInspector } from './own-inspector.ts';
import { ACTIVE, ANSWERED, ANSWERS, ARMED, FULL, QUESTION, TOKEN, type WordTable } from './word-table.ts';
import { real, type WatchedAsyncWait } from './wrap-atomics.ts';

/** The number of questions that a thread can get before its event loop turns. */
const TOKENS = 24;
/** The most async waits of a full answer. */
const MOST_WAITS = 50;

/** A wait by Atomics.waitAsync, in an answer. */
export interface AnsweredWait {
  /** The engine's id of the buffer, 0 if it is not known. */
  readonly buffer: number;
  readonly at: number;
  readonly since: number;
  /** The lines of the stack. */
  readonly stack: readonly string[];
}

/** A full answer. */
export interface Answer {
  readonly slot: number;
  readonly keepsAlive: readonly string[];
  readonly waits: readonly AnsweredWait[];
  /** How many waits `waits` leaves out. */
  readonly more: number;
}

export interface Answering {
  readonly table: WordTable;
  /** The index of the thread's slot. */
  readonly index: number;
  readonly notes: ThreadNotes;
  readonly inspector: OwnInspector | undefined;
  readonly asyncWaits: ReadonlySet<WatchedAsyncWait>;
}

/** Answers from now on, whenever the event loop turns. */
export function answerQuestions(answering: Answering): void {
  for (let count = 0; count < TOKENS; count++) arm(answering);
}

function arm(answering: Answering): void {
  const { table, index } = answering;
  const slot = table.slot(index);
  const wait = real.waitAsync(table.words, (slot + TOKEN) >> 2, 0);
  if (!wait.async) return;
  const asked = (): void => {
    arm(answering);
    answer(answering);
  };
  void wait.value.then(asked);
  real.add(table.words, (slot + ARMED) >> 2, 1);
}

function answer(answering: Answering): void {
  const { table, index } = answering;
  const slot = table.slot(index);
  table.setNumber(slot + ACTIVE, performance.eventLoopUtilization().active);
  table.setNumber(slot + ANSWERED, table.clock);
  const isFull = table.word(slot + QUESTION) === FULL;
  real.add(table.words, (slot + ANSWERS) >> 2, 1);
  if (isFull) postAnswer(answering);
}

function postAnswer(answering: Answering): void {
  try {
    // Before there is a channel, which is an active resource itself.
    const full = fullAnswer(answering);
    const channel = new BroadcastChannel(ANSWERS_CHANNEL);
    channel.postMessage(full);
    channel.close();
  } catch (failure) {
    // The tool must not end the program.
    process.emitWarning(`A thread could not answer: ${String(failure)}`, { type: 'SluiceWarning', code: 'SLUICE_WHY' });
  }
}

function fullAnswer({ index, notes, inspector, asyncWaits }: Answering): Answer {
  notes.lookUpBuffers();
  const waits = [...asyncWaits].slice(0, MOST_WAITS).map((wait): AnsweredWait => {
    const stack = (wait.call?.stack ?? '').split('\n').slice(1);
    return { ...notes.wordOf(wait.array, wait.index), since: wait.since, stack: stack.map((line) => line.trim()) };
  });
  return { slot: index, keepsAlive: keepsAlive(inspector), waits, more: asyncWaits.size - waits.length };
}
