import { expect, test } from 'vitest';
import { lineProblems, tableProblems } from '../src/comments.mjs';

const table = [
  '// A side takes units.',
  '//',
  '//   word     value                                     written by',
  '//   TURN     1: the turn is out, as a permit that is   promise, commit, look: the',
  '//            free, held, or on its way                 owner of the lock',
  '',
];

test('a line that continues a cell in its column is no problem', () => {
  expect(tableProblems('sides.ts', table.join('\n'))).toEqual([]);
});

test('a cell on a line of its own, out of its column, is a problem', () => {
  const text = [
    '// A bounded buffer.',
    '//',
    '//   word        value                                                              written by',
    '//   TURN        1: the turn is out, as a permit that is free, held, or on its way;',
    '//         promise, commit, look: the owner of the lock',
    '//               then the lock carries a notice (NOTICE), and `takeWord` refuses it',
  ].join('\n');
  expect(tableProblems('sides.ts', text)).toEqual([
    'sides.ts:5: begins in column 12, in which no cell of the row above begins',
  ]);
});

test('a transition whose text goes on between two columns is a problem', () => {
  const text = [
    '//   writers - 1    [unlockWriter, leaveWriter, downgrade]  waiting readers become readers, and with `downgrade` the',
    '//                                                          caller, too; then their',
    '//                                               permits, or else one for the next writer. A successor gets DUE, if',
  ].join('\n');
  expect(tableProblems('rw-lock.ts', text)).toEqual([
    'rw-lock.ts:3: begins in column 50, in which no cell of the row above begins',
  ]);
});

test('the cells with steps, and those behind them, begin in one column', () => {
  const rows = [
    '//   free ▶ owner    [take]        with or without waiters',
    '//   owner ▶ free    [free, give]  no agent waits',
    '//   freed           [end]',
  ];
  expect(tableProblems('a.ts', rows.join('\n'))).toEqual([]);
  const off = ['//   owner ▶ free, WOKEN  [free]  then one permit', '//   free         [take]      or'];
  expect(tableProblems('a.ts', [...rows, ...off].join('\n'))).toEqual([
    'a.ts:4: has a cell in column 27, unlike the rows above',
    'a.ts:5: has a cell in column 19, unlike the rows above',
  ]);
});

test('numbered invariants, lists and paragraphs are no tables', () => {
  const text = [
    '// INVARIANTS',
    '//',
    '//   1. One sentence that is',
    '//      wrapped.',
    '//   - Another one,',
    '//     wrapped, too.',
    '// 2. A third one,',
    '//    wrapped.',
    '//',
    '//   word  value',
    '//         of that word',
  ].join('\n');
  expect(tableProblems('a.ts', text)).toEqual([]);
});

test('a line that repeats the line above is a problem, except in a block of code', () => {
  const text = ['//      once. It came first.', '//      once. It came first.', 'run();'].join('\n');
  expect(lineProblems('lock.ts', text)).toEqual(['lock.ts:2: repeats the line above']);
  const example = ['/**', ' * ```ts', ' * door.arrive();', ' * door.arrive();', ' * ```', ' */'].join('\n');
  expect(lineProblems('door.ts', example)).toEqual([]);
});

test('a line that begins within a sentence after the end of one is a problem', () => {
  const text = [
    '//   2. At most B - 1 agents that arrive after a waiter',
    '//      pass it: the other agents of its own platoon.',
    '//      platoon that arrive after it pass it.',
  ].join('\n');
  expect(lineProblems('capacitor.ts', text)).toEqual([
    'capacitor.ts:3: begins within a sentence, but the line above ends with a full stop',
  ]);
});

test('a row, and the name of a file, may begin in lower case after a full stop', () => {
  const text = [
    '// The core does that.',
    '// kernel/merge.ts has the steps.',
    '//   drawShare    takes one share.',
  ].join('\n');
  expect(lineProblems('a.ts', text)).toEqual([]);
});

test('a sentence that begins in lower case is a problem, unless it begins with a name', () => {
  const text = [
    '// The step records it (step-records.md). the agent that works on the record',
    '// The count grows by one. ticket decreases by a roll-back, e.g. the last one. n > 0: n permits are free.',
  ];
  expect(lineProblems('layout.ts', text.join('\n'))).toEqual(['layout.ts:1: has a sentence that begins in lower case']);
});

test('the comment at the top of a file has at most 120 columns', () => {
  const long = `// ${'word '.repeat(24)}`;
  expect(lineProblems('a.ts', long)).toEqual([`a.ts:1: has ${long.length} columns`]);
});

test('the core is not called the base, which may be a base class', () => {
  const text = [
    '// The base of the locks.',
    '// The waiter enters the chain (base: `link`).',
    "// The base's waiters.",
  ];
  expect(lineProblems('a.ts', text.join('\n'))).toEqual([
    'a.ts:2: calls the core the base',
    'a.ts:3: calls the core the base',
  ]);
});
