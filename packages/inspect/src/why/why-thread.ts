// The thread of the reporter. It keeps the clock of the table, looks at the threads, asks their event loops whether
// they turn, and writes a page when a wait or a standstill is too old. It needs no event loop but its own.

import { pid } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { BroadcastChannel, threadId, workerData } from 'node:worker_threads';
import type { ArenaHandle } from '@sluice/core';
import type { Answer } from './answers.ts';
import { ArenaWatcher } from '../watchdog/arena-watcher.ts';
import { pageOf } from './page.ts';
import { Questions } from './questions.ts';
import { ANSWERS_CHANNEL, ARENAS_CHANNEL, type ReporterData } from './reporter-data.ts';
import { threadsIn, type ThreadSnapshot, type ProcessSnapshot } from './process-snapshot.ts';
import { stacksOf, type Stacks } from './stacks.ts';
import { PageSchedule } from './page-schedule.ts';
import { CLOCK, MAX_THREADS, READY, REQUESTS, WordTable } from './word-table.ts';
import { DEFAULT_LINES } from '../report/format-report.ts';
import { writeOut } from '../watchdog/watchdog-output.ts';

const { table: memory, after, dumps } = workerData as ReporterData;
const table = new WordTable(memory);

/** The time in ms between two looks, and the resolution of the table's clock. */
const TICK_MS = 100;
/** The time in ms after which an event loop that has not answered counts as one that does not turn. */
const TURN_MS = 300;
/** The time in ms that event loops have for full answers, for which they may collect garbage. */
const ANSWER_MS = 3000;
/** The time in ms between two looks at answers. */
const PAUSE_MS = 20;
/** The most looks at the stacks for one page. */
const ROUNDS = 3;

const questions = new Questions(table);
const schedule = new PageSchedule(after, table);
const answers = new Map<number, Answer>();
let requests = 0;
let isWriting = false;
/** The arenas of Sluice, by their ids. */
const watchers = new Map<string, ArenaWatcher>();

function tick(): void {
  table.setNumber(CLOCK, Date.now());
  if (isWriting) return;
  const threads = threadsIn(table);
  questions.ask(threads, after);
  const asked = table.word(REQUESTS) !== requests;
  const isDue = schedule.isPageDue(threads, questions);
  if (!asked && !isDue) return;
  requests = table.word(REQUESTS);
  isWriting = true;
  void writePage(asked).finally(() => {
    isWriting = false;
  });
}

async function writePage(asked: boolean): Promise<void> {
  try {
    const snapshot = await takeSnapshot();
    const found = schedule.notePage(snapshot, asked);
    if (found) write(pageOf(snapshot));
    if (asked) for (const watcher of watchers.values()) watcher.report('A report was asked for.');
  } catch (failure) {
    write(
      `The page could not be made: ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}`,
    );
  }
}

/** Asks all event loops, and pauses the threads whose loops do not turn for their stacks. */
async function takeSnapshot(): Promise<ProcessSnapshot> {
  answers.clear();
  questions.askAll(threadsIn(table));
  await fullAnswers();
  let look = await lookAtStacks();
  // Threads that began to wait meanwhile were not paused. A process that starts may have many.
  for (let rounds = 1; rounds < ROUNDS && look.isLate; rounds++) look = await lookAtStacks();
  const { silent, threads, of, workers } = look;
  return {
    now: table.clock,
    after,
    threads,
    stacks: stillThere(of, silent, threads),
    paused: new Set(silent.map(({ index }) => index)),
    answers: new Map(answers),
    stalledSince: questions.stalledSince(threads),
    untrackedWorkers: untrackedAmong(workers, threads),
    isIdle: schedule.isIdle,
  };
}

interface Look extends Stacks {
  /** The threads that were paused, as they were before. */
  readonly silent: readonly ThreadSnapshot[];
  /** All threads, as they were afterwards. */
  readonly threads: readonly ThreadSnapshot[];
  /** Whether a thread began to wait meanwhile. */
  readonly isLate: boolean;
}

async function lookAtStacks(): Promise<Look> {
  const silent = threadsIn(table).filter(
    (thread) => thread.state === 'running' && (thread.wait !== undefined || !questions.hasAnswered(thread)),
  );
  const ids = new Set(silent.map(({ id }) => id));
  const sure = new Set(silent.filter(({ wait }) => wait !== undefined).map(({ id }) => id));
  const stacks = await stacksOf(ids, sure, threadId);
  table.setNumber(CLOCK, Date.now());
  const threads = threadsIn(table);
  const isLate = threads.some(({ id, wait }) => wait !== undefined && !ids.has(id));
  return { ...stacks, silent, threads, isLate };
}

/** Resolves when each event loop that turns has given its full answer. */
async function fullAnswers(): Promise<void> {
  const begin = Date.now();
  for (let ms = 0; ms < ANSWER_MS; ms = Date.now() - begin) {
    await pause(PAUSE_MS);
    table.setNumber(CLOCK, Date.now());
    const isMissing = (thread: ThreadSnapshot): boolean =>
      thread.state === 'running' &&
      thread.wait === undefined &&
      !answers.has(thread.index) &&
      (questions.hasAnswered(thread) || ms < TURN_MS);
    if (!threadsIn(table).some(isMissing)) return;
  }
}

/** The stacks of threads that are in the same wait, or in none, as before they were paused. */
function stillThere<T>(
  of: ReadonlyMap<number, T>,
  before: readonly ThreadSnapshot[],
  threads: readonly ThreadSnapshot[],
): ReadonlyMap<number, T> {
  const known = new Map(before.map(({ id, waits }) => [id, waits]));
  const same = threads.filter(({ id, waits, state }) => state === 'running' && known.get(id) === waits);
  return new Map(same.flatMap(({ id }): [number, T][] => (of.has(id) ? [[id, of.get(id) as T]] : [])));
}

function untrackedAmong(
  workers: readonly number[] | undefined,
  threads: readonly ThreadSnapshot[],
): number | undefined {
  if (workers === undefined) return undefined;
  const known = new Set(threads.map(({ id }) => id));
  return workers.filter((id) => !known.has(id)).length;
}

function write(text: string): void {
  writeOut(`\nSluice why, process ${pid}: ${text}\n`);
}

function watch(handle: ArenaHandle): void {
  if (watchers.has(handle.arena)) return;
  const end = (): void => void watchers.delete(handle.arena);
  try {
    watchers.set(
      handle.arena,
      new ArenaWatcher(handle, { after, lines: DEFAULT_LINES, endsWithoutAgents: true, dumps, write, end }),
    );
  } catch (failure) {
    write(`An arena is not watched: ${String(failure)}`);
  }
}

const answering = new BroadcastChannel(ANSWERS_CHANNEL);
answering.onmessage = (event) => {
  const { data } = event as { readonly data: Answer };
  if (data.slot >= 0 && data.slot < MAX_THREADS) answers.set(data.slot, data);
};
const arenas = new BroadcastChannel(ARENAS_CHANNEL);
arenas.onmessage = (event) => watch((event as { readonly data: ArenaHandle }).data);
tick();
setInterval(tick, TICK_MS);
Atomics.store(table.words, READY >> 2, 1);
Atomics.notify(table.words, READY >> 2);
