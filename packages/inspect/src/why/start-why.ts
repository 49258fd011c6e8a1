// Sets up a thread: its slot of the table, what stands before Atomics and Worker, and in the main thread the reporter.

import { MisuseError, type ArenaHandle } from '@sluice/core';
import { listenToOpened } from '@sluice/core/report';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import {
  BroadcastChannel,
  getEnvironmentData,
  isMainThread,
  setEnvironmentData,
  threadId,
  Worker,
} from 'node:worker_threads';
import { msInVariable } from '../watchdog/environment-seconds.ts';
import { withoutModules } from '../watchdog/watchdog-messages.ts';
import { answerQuestions } from './answers.ts';
import { ThreadNotes } from './thread-notes.ts';
import { OwnInspector } from './own-inspector.ts';
import { CLOCK, FILE, READY, REQUESTS, RUNNING, STARTING, STATE, WordTable, THREAD } from './word-table.ts';
import { ARENAS_CHANNEL, type ReporterData } from './reporter-data.ts';
import { canWrapAtomics, real, wrapAtomics, type WatchedAsyncWait } from './wrap-atomics.ts';
import { HANDED, wrapWorker, type Handed } from './wrap-worker.ts';

const VARIABLE = 'SLUICE_WHY';
const DEFAULT_MS = 5000;
/** The longest time in ms that a thread which opens an arena of Sluice waits for the reporter. */
const START_MS = 5000;

/** The property of the global object that says that a copy of this module has set up the thread. */
const KEY = Symbol.for('@sluice/inspect why, table');

/**
 * Sets up the calling thread, once. Does nothing in a thread whose parent does not run with it.
 *
 * Throws `RangeError` for a SLUICE_WHY that is no time, and `MisuseError` if the reporter's file is missing.
 */
export function startWhy(): void {
  if (Reflect.get(globalThis, KEY) !== undefined) return;
  const handed = getEnvironmentData(HANDED) as Handed | undefined;
  if (handed !== undefined) {
    const table = new WordTable(handed.table);
    removePreload();
    setUp(table, handed.slot);
    return;
  }
  if (!isMainThread) return;
  const after = msInVariable(VARIABLE, DEFAULT_MS);
  if (after === undefined) return;
  const table = new WordTable();
  // Until the reporter keeps it.
  table.setNumber(CLOCK, Date.now());
  startReporter({ table: table.memory, after, dumps: process.env['SLUICE_DUMP'] });
  setEnvironmentData(HANDED, { table: table.memory, slot: -1 } satisfies Handed);
  setUp(table, -1);
  // Windows has no SIGUSR2.
  if (process.platform !== 'win32') process.on('SIGUSR2', requestReport);
}

/**
 * Lets the reporter write a page to stderr now, within a second. Any thread of the program may call it. Does nothing
 * without the reporter.
 */
export function requestReport(): void {
  const table = Reflect.get(globalThis, KEY) as WordTable | undefined;
  if (table !== undefined) real.add(table.words, REQUESTS >> 2, 1);
}

function setUp(table: WordTable, handedSlot: number): void {
  Object.defineProperty(globalThis, KEY, { value: table });
  const index = slotOf(table, handedSlot);
  if (index >= 0) {
    const slot = table.slot(index);
    table.setWord(slot + THREAD, threadId);
    if (table.text(slot, FILE) === '') table.setText(slot, FILE, process.argv[1] ?? '');
    real.store(table.words, (slot + STATE) >> 2, RUNNING);
    const inspector = OwnInspector.open();
    const notes = new ThreadNotes(table, slot, inspector);
    const asyncWaits = canWrapAtomics() ? wrapAtomics(notes, table) : withoutAtomics();
    answerQuestions({ table, index, notes, inspector, asyncWaits });
    if (!isMainThread) process.on('exit', () => table.end(slot));
  }
  wrapWorker(table, index, besides('why.cjs'));
  tellOfArenas(table);
}

/** The reporter still knows the thread, its event loop, its workers and its arenas. */
function withoutAtomics(): ReadonlySet<WatchedAsyncWait> {
  process.emitWarning('Atomics is frozen in this thread, so the reporter does not see where the thread waits.', {
    type: 'SluiceWarning',
    code: 'SLUICE_WHY',
  });
  return new Set();
}

/** Returns the index of the slot that the parent gave, or of another one if the parent gave none. */
function slotOf(table: WordTable, handed: number): number {
  return handed >= 0 && table.word(table.slot(handed) + STATE) === STARTING ? handed : table.claim();
}

/** The options of the thread are those that the program gave. */
function removePreload(): void {
  const at = process.execArgv.indexOf(besides('why.cjs'));
  if (at > 0) process.execArgv.splice(at - 1, 2);
}

/** Tells the reporter of the arenas that this thread opens. */
function tellOfArenas(table: WordTable): void {
  const told = new Set<string>();
  listenToOpened('why', ({ handle }) => {
    if (told.has(handle.arena)) return;
    told.add(handle.arena);
    // The reporter hears only what is said while it listens.
    real.wait(table.words, READY >> 2, 0, START_MS);
    const channel = new BroadcastChannel(ARENAS_CHANNEL);
    channel.postMessage(withoutModules(handle) satisfies ArenaHandle);
    channel.close();
  });
}

/** Starts the file beside this one. It takes no options of this process: a preloaded file would be loaded again. */
function startReporter(workerData: ReporterData): void {
  const file = besides('sluice-why.js');
  if (!existsSync(file))
    throw new MisuseError(
      `The reporter's thread needs the file ${file}, which is not there. Leave @sluice/inspect out of the bundle, or load it by --import. Nothing was changed.`,
    );
  const thread = new Worker(file, { name: 'sluice why', workerData, execArgv: [], env: {} });
  thread.on('error', (failure: Error) => {
    process.emitWarning(`The reporter has ended: ${failure.message}`, { type: 'SluiceWarning', code: 'SLUICE_WHY' });
  });
  thread.unref();
}

/** Returns the path of a file in this file's folder. */
function besides(name: string): string {
  // A build that makes CommonJS of this module leaves `import.meta` empty.
  const folder = typeof import.meta.url === 'string' ? dirname(fileURLToPath(import.meta.url)) : __dirname;
  return join(folder, name);
}
