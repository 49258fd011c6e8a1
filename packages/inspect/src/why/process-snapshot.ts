// What the table says of the threads of a process, and what the reporter has learned beside it.

import { printable } from '@sluice/core/calls';
import type { Answer } from './answers.ts';
import type { Stack } from './stacks.ts';
import {
  ANSWERED,
  ANSWERS,
  CREATED_AT,
  ENDED,
  ENTRIES,
  ENTRY_AT,
  ENTRY_CHANGE,
  ENTRY_COUNT,
  ENTRY_KEY,
  ENTRY_NOTIFIED,
  ENTRY_NOTIFIES,
  ENTRY_STRIDE,
  ENTRY_WOKEN,
  FILE,
  FREE,
  KEY_COUNT,
  KEY_ID,
  KEY_STRIDE,
  KEYS,
  MAX_THREADS,
  NAME,
  NO_BUFFER,
  NOTHING,
  PARENT,
  RUNNING,
  SLUICE_BUFFER,
  STARTED,
  STATE,
  THREAD,
  WAIT_AT,
  WAIT_KEY,
  WAIT_SINCE,
  WAIT_TIMED,
  WAIT_VALUE,
  WAITS,
  type WordTable,
} from './word-table.ts';

/** A wait by Atomics.wait. */
export interface ThreadWait {
  /** What distinguishes the word from all others of the process. '' for a wait of Sluice. */
  readonly word: string;
  /** The byte of its buffer. */
  readonly at: number;
  /** The value of the word when the wait began. */
  readonly value: number;
  readonly since: number;
  readonly isTimed: boolean;
  readonly isSluice: boolean;
}

/** What a thread did to a word. */
export interface WordUse {
  readonly word: string;
  readonly change: number;
  readonly notifies: number;
  readonly woken: number;
  /** When it notified the word last. */
  readonly notified: number;
}

export interface ThreadSnapshot {
  /** The index of its slot. */
  readonly index: number;
  /** Node's id; 0 is the main thread. */
  readonly id: number;
  /** "main thread", "thread 3 (resizer)". */
  readonly title: string;
  readonly state: 'starting' | 'running' | 'ended';
  readonly started: number;
  readonly createdAt: string;
  readonly parent: number | undefined;
  /** The number of its waits so far, doubled; odd while it waits. */
  readonly waits: number;
  readonly wait: ThreadWait | undefined;
  readonly uses: readonly WordUse[];
  /** The number of answers of its event loop, and the time of the last one. */
  readonly answers: number;
  readonly answered: number;
}

/** What a page is made from. */
export interface ProcessSnapshot {
  readonly now: number;
  /** ms. */
  readonly after: number;
  readonly threads: readonly ThreadSnapshot[];
  /** By the ids of threads. */
  readonly stacks: ReadonlyMap<number, Stack>;
  /** The indexes of the threads whose stacks were asked for. */
  readonly paused: ReadonlySet<number>;
  /** By the indexes of slots. */
  readonly answers: ReadonlyMap<number, Answer>;
  /** Since when the event loop of a thread has not turned, by indexes. Only those that do not turn. */
  readonly stalledSince: ReadonlyMap<number, number>;
  /** Workers of the process that have no slot. `undefined`: not known. */
  readonly untrackedWorkers: number | undefined;
  /** Whether all threads have done nothing for `after` ms. */
  readonly isIdle: boolean;
}

/** Reads all threads. A wait that begins or ends meanwhile has no word. */
export function threadsIn(table: WordTable): ThreadSnapshot[] {
  const all: ThreadSnapshot[] = [];
  for (let index = 0; index < MAX_THREADS; index++) {
    const slot = table.slot(index);
    if (table.word(slot + STATE) !== FREE) all.push(threadAt(table, index, slot));
  }
  return all;
}

function threadAt(table: WordTable, index: number, slot: number): ThreadSnapshot {
  const state = table.word(slot + STATE);
  const id = table.word(slot + THREAD);
  const name = table.text(slot, NAME);
  const label = printable(name === '' ? (/[^\\/]*$/.exec(table.text(slot, FILE))?.[0] ?? '') : name);
  const who = id === 0 ? 'main thread' : id < 0 ? 'a new thread' : `thread ${id}`;
  const parent = table.word(slot + PARENT);
  const waits = table.word(slot + WAITS);
  return {
    index,
    id,
    title: label === '' ? who : `${who} (${label})`,
    state: state === RUNNING ? 'running' : state === ENDED ? 'ended' : 'starting',
    started: table.number(slot + STARTED),
    createdAt: printable(table.text(slot, CREATED_AT)),
    parent: parent === 0 ? undefined : parent - 1,
    waits,
    wait: state === RUNNING && waits % 2 === 1 ? waitAt(table, index, slot, waits) : undefined,
    uses: [...usesAt(table, index, slot)],
    answers: table.word(slot + ANSWERS),
    answered: table.number(slot + ANSWERED),
  };
}

function waitAt(table: WordTable, index: number, slot: number, waits: number): ThreadWait | undefined {
  const key = table.word(slot + WAIT_KEY);
  const at = table.word(slot + WAIT_AT);
  const wait: ThreadWait = {
    word: key === SLUICE_BUFFER ? '' : wordAt(table, index, slot, key, at),
    at,
    value: table.number(slot + WAIT_VALUE),
    since: table.number(slot + WAIT_SINCE),
    isTimed: table.word(slot + WAIT_TIMED) !== 0,
    isSluice: key === SLUICE_BUFFER,
  };
  return table.word(slot + WAITS) === waits ? wait : undefined;
}

function* usesAt(table: WordTable, index: number, slot: number): Generator<WordUse> {
  for (let count = 0; count < ENTRY_COUNT; count++) {
    const entry = slot + ENTRIES + count * ENTRY_STRIDE;
    const key = table.word(entry + ENTRY_KEY);
    const change = table.word(entry + ENTRY_CHANGE);
    const notifies = table.word(entry + ENTRY_NOTIFIES);
    if (key === 0 || (change === NOTHING && notifies === 0)) continue;
    yield {
      word: wordAt(table, index, slot, key, table.word(entry + ENTRY_AT)),
      change,
      notifies,
      woken: table.word(entry + ENTRY_WOKEN),
      notified: table.number(entry + ENTRY_NOTIFIED),
    };
  }
}

/** The engine's id of the buffer makes the words of two threads one. Without it, a word is its thread's own. */
function wordAt(table: WordTable, index: number, slot: number, key: number, at: number): string {
  const place = slot + KEYS + KEY_STRIDE * (key % KEY_COUNT);
  const id = key > NO_BUFFER && table.word(place) === key ? table.number(place + KEY_ID) : 0;
  return id === 0 ? `${index}/${key}:${at}` : wordIn(id, at);
}

/** What distinguishes a word of a buffer whose id is known. */
export function wordIn(buffer: number, at: number): string {
  return `${buffer}:${at}`;
}
