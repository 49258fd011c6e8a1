// What a thread writes into its slot of the table, read as the reporter reads it.

import { beforeEach, expect, test } from 'vitest';
import { MAGIC } from '../../core/src/kernel/layout.ts';
import { ThreadNotes } from '../src/why/thread-notes.ts';
import { threadsIn, type ThreadSnapshot } from '../src/why/process-snapshot.ts';
import {
  CLOCK,
  ENDED,
  ENTRY_COUNT,
  LEFT_ZERO,
  MAX_THREADS,
  REACHED_ZERO,
  RUNNING,
  STATE,
  UNTRACKED,
  WordTable,
  THREAD,
} from '../src/why/word-table.ts';

let table: WordTable;

beforeEach(() => {
  table = new WordTable();
  table.setNumber(CLOCK, 1000);
});

/** A thread with a slot of its own. */
function join(id: number): { readonly notes: ThreadNotes; readonly seen: () => ThreadSnapshot } {
  const index = table.claim();
  const slot = table.slot(index);
  table.setWord(slot + THREAD, id);
  table.setWord(slot + STATE, RUNNING);
  const seen = (): ThreadSnapshot => threadsIn(table).find((thread) => thread.index === index) as ThreadSnapshot;
  return { notes: new ThreadNotes(table, slot, undefined), seen };
}

const shared = (bytes = 16): Int32Array => new Int32Array(new SharedArrayBuffer(bytes));

test('a wait is there from its beginning to its end, with its word, value and time', () => {
  const { notes, seen } = join(3);
  const words = shared();
  expect(seen().wait).toBeUndefined();
  notes.beginWait(words, 2, -7, undefined);
  expect(seen().wait).toEqual({ word: '0/1:8', at: 8, value: -7, since: 1000, isTimed: false, isSluice: false });
  notes.endWait();
  expect(seen().wait).toBeUndefined();
  notes.beginWait(new BigInt64Array(words.buffer, 8), 0, 5n, 20);
  expect(seen().wait).toMatchObject({ word: '0/1:8', value: 5, isTimed: true });
  notes.endWait();
  expect(seen().waits).toBe(4);
});

test('the first word of an arena tells that a wait is of Sluice', () => {
  const { notes, seen } = join(1);
  const words = shared();
  words[0] = MAGIC;
  notes.beginWait(words, 2, 0, undefined);
  expect(seen().wait).toMatchObject({ word: '', isSluice: true });
  notes.changed(words, 2, LEFT_ZERO);
  expect(seen().uses).toEqual([]);
});

test('the last change of a word counts, and a notify ends it', () => {
  const { notes, seen } = join(1);
  const words = shared();
  notes.changed(words, 0, LEFT_ZERO);
  notes.changed(words, 1, LEFT_ZERO);
  notes.changed(words, 1, REACHED_ZERO);
  expect(seen().uses.map(({ word, change }) => [word, change])).toEqual([
    ['0/1:0', LEFT_ZERO],
    ['0/1:4', REACHED_ZERO],
  ]);
  table.setNumber(CLOCK, 2000);
  notes.notified(words, 0, 2);
  expect(seen().uses[0]).toEqual({ word: '0/1:0', change: 0, notifies: 1, woken: 2, notified: 2000 });
});

test('words of other arrays over the same bytes are the same words', () => {
  const { notes, seen } = join(1);
  const words = shared();
  notes.changed(words, 2, LEFT_ZERO);
  notes.changed(new Int32Array(words.buffer, 8), 0, REACHED_ZERO);
  expect(seen().uses).toHaveLength(1);
});

test.each([
  ['an array without shared memory', new Int32Array(4)],
  ['an array without waits', new Uint8Array(new SharedArrayBuffer(4))],
  ['no array', undefined],
])('%s has no entry', (_, array) => {
  const { notes, seen } = join(1);
  notes.beginWait(array, 'x', undefined, Symbol.iterator);
  notes.endWait();
  notes.changed(array, 0, LEFT_ZERO);
  notes.notified(array, {}, 0);
  expect(seen().uses).toEqual([]);
});

test('the words that are taken stay when others come', () => {
  const { notes, seen } = join(1);
  const words = shared(4096);
  notes.changed(words, 0, LEFT_ZERO);
  for (let round = 0; round < 4; round++) for (let at = 1; at < 1024; at++) notes.notified(words, at, 0);
  const { uses } = seen();
  expect(uses.length).toBeLessThanOrEqual(ENTRY_COUNT);
  expect(uses.filter(({ word }) => word === '0/1:0')).toHaveLength(1);
});

test('each thread has a slot of its own; the slot of the thread that ended first is used again', () => {
  const ids = Array.from({ length: MAX_THREADS }, () => table.claim());
  expect(new Set(ids).size).toBe(MAX_THREADS);
  expect(table.claim()).toBe(-1);
  expect(table.word(UNTRACKED)).toBe(1);
  for (const [time, index] of [
    [3000, 7],
    [2000, 9],
  ] as const) {
    table.setNumber(CLOCK, time);
    table.end(table.slot(index));
  }
  expect(table.word(table.slot(7) + STATE)).toBe(ENDED);
  expect([table.claim(), table.claim(), table.claim()]).toEqual([9, 7, -1]);
});
