// What a page concludes from the waits of threads and from what they did to words.

import { expect, test } from 'vitest';
import { findingsIn } from '../src/why/process-findings.ts';
import { pageOf } from '../src/why/page.ts';
import type { ThreadSnapshot, ThreadWait, WordUse, ProcessSnapshot } from '../src/why/process-snapshot.ts';
import type { Stack } from '../src/why/stacks.ts';
import { LEFT_ZERO, NOTHING, REACHED_ZERO } from '../src/why/word-table.ts';
import { SnapshotReading } from '../src/why/snapshot-reading.ts';

const NOW = 10_000;

function wait(word: string, value: number, more: Partial<ThreadWait> = {}): ThreadWait {
  return { word, at: 0, value, since: NOW - 5000, isTimed: false, isSluice: false, ...more };
}

function use(word: string, change: number, notifies = 0): WordUse {
  return { word, change, notifies, woken: 0, notified: notifies === 0 ? 0 : NOW - 2000 };
}

function thread(id: number, more: Partial<ThreadSnapshot> = {}): ThreadSnapshot {
  return {
    index: id,
    id,
    title: `thread ${id}`,
    state: 'running',
    started: 0,
    createdAt: '',
    parent: undefined,
    waits: more.wait === undefined ? 0 : 1,
    wait: undefined,
    uses: [],
    answers: 0,
    answered: 0,
    ...more,
  };
}

function snapshot(threads: readonly ThreadSnapshot[], more: Partial<ProcessSnapshot> = {}): ProcessSnapshot {
  return {
    now: NOW,
    after: 1000,
    threads,
    stacks: new Map(),
    paused: new Set(),
    answers: new Map(),
    stalledSince: new Map(),
    untrackedWorkers: 0,
    isIdle: false,
    ...more,
  };
}

function findings(threads: readonly ThreadSnapshot[], more: Partial<ProcessSnapshot> = {}): string[] {
  return findingsIn(new SnapshotReading(snapshot(threads, more))).flat();
}

const turning = thread(9);

/** Two threads, each of which took a word and waits for that of the other. */
function crossed(value: number, change: number): ThreadSnapshot[] {
  return [
    thread(1, { wait: wait('b', value), uses: [use('a', change)] }),
    thread(2, { wait: wait('a', value), uses: [use('b', change)] }),
  ];
}

test('two threads that took each other’s locks are a likely deadlock', () => {
  expect(findings([...crossed(2, LEFT_ZERO), turning])).toEqual([
    'Likely deadlock: 2 threads wait for each other.',
    '  thread 1 took word 1 and waits for word 2 for 5.0 s',
    '  thread 2 took word 2 and waits for word 1 for 5.0 s',
  ]);
});

test('two threads that took each other’s last permits are a possible deadlock', () => {
  expect(findings([...crossed(0, REACHED_ZERO), turning])[0]).toBe('Possible deadlock: 2 threads wait for each other.');
});

test.each([
  ['the words changed the other way', crossed(0, LEFT_ZERO)],
  ['the words changed the other way, of locks', crossed(1, REACHED_ZERO)],
  ['the threads notified the words since', crossed(2, NOTHING)],
  ['one waits for a word that it took itself', [thread(1, { wait: wait('a', 1), uses: [use('a', LEFT_ZERO)] })]],
  [
    'both wait for the same word, and each took it',
    [1, 2].map((id) => thread(id, { wait: wait('a', 1), uses: [use('a', LEFT_ZERO)] })),
  ],
])('there is no deadlock if %s', (_, threads) => {
  expect(findings([...threads, turning]).join('\n')).not.toMatch(/eadlock/);
});

test('if every thread waits without a timeout, and none is unknown, it is a deadlock', () => {
  const threads = [thread(0, { title: 'main thread', wait: wait('a', 0) }), thread(1, { wait: wait('b', 0) })];
  expect(findings(threads)[0]).toBe('Deadlock: all 2 threads of the process wait, and none is left to notify one.');
  expect(findings([...threads, thread(2, { state: 'ended' })])[0]).toMatch(/^Deadlock: all 2/);
  expect(findings(threads.slice(0, 1))[0]).toBe(
    'Deadlock: the only thread of the process, the main thread, waits, and no thread is left to notify it.',
  );
});

test.each<[string, ThreadSnapshot[], Partial<ProcessSnapshot>]>([
  ['a thread turns', [turning], {}],
  ['a thread has not started', [thread(2, { state: 'starting' })], {}],
  ['a wait has a timeout', [thread(2, { wait: wait('c', 0, { isTimed: true }) })], {}],
  ['a worker is unknown', [], { untrackedWorkers: 1 }],
  ['it is not known whether a worker is unknown', [], { untrackedWorkers: undefined }],
])('it is no certain deadlock if %s', (_, others, more) => {
  expect(findings([thread(1, { wait: wait('a', 0) }), ...others], more).join('\n')).not.toMatch(/^Deadlock/m);
});

test('a certain deadlock lists its cycle first', () => {
  const lines = findings([thread(3, { wait: wait('c', 0) }), ...crossed(2, LEFT_ZERO)]);
  expect(lines[0]).toBe('Deadlock: all 3 threads of the process wait, and none is left to notify one.');
  expect(lines[1]).toMatch(/^ {2}thread 1 took word \d and waits for word \d /);
});

test('the cycle of three threads is a shortest one', () => {
  const threads = [
    thread(1, { wait: wait('b', 1), uses: [use('a', LEFT_ZERO)] }),
    thread(2, { wait: wait('c', 1), uses: [use('b', LEFT_ZERO)] }),
    thread(3, { wait: wait('a', 1), uses: [use('c', LEFT_ZERO)] }),
    thread(4, { wait: wait('a', 1) }),
  ];
  const lines = findings([...threads, turning]);
  expect(lines[0]).toBe('Likely deadlock: 3 threads wait for each other.');
  expect(lines.slice(1, 4).map((line) => line.trim().split(' ').slice(0, 2).join(' '))).toEqual([
    'thread 1',
    'thread 2',
    'thread 3',
  ]);
  expect(lines[4]).toBe(
    'Waiting: thread 4 waits for word 1. Thread 1 took it last, as far as is known; no thread has notified it.',
  );
});

test('a thread that ended with a word is a likely dead holder, unless a living thread took the word, too', () => {
  const holder = thread(1, { state: 'ended', uses: [use('a', LEFT_ZERO)] });
  const waiter = thread(2, { wait: wait('a', 2) });
  expect(findings([holder, waiter, turning])).toEqual([
    'Likely dead holder: thread 1 has ended. It took word 1, and did not notify it.',
    '  thread 2 waits for word 1 for 5.0 s',
  ]);
  const other = thread(3, { uses: [use('a', LEFT_ZERO)] });
  expect(findings([holder, waiter, other]).join('\n')).not.toMatch(/dead holder/);
});

test('a word that has another value by now lacks a notify', () => {
  const stack: Stack = { frames: [{ name: 'f', url: 'x.mjs', line: 3 }], word: { now: 7, buffer: 5, bytes: 8 } };
  const waiter = thread(1, { wait: wait('0/1:0', 0) });
  // The stack has told the engine's id of the buffer.
  const notifier = thread(2, { uses: [use('5:0', NOTHING, 3)] });
  expect(findings([waiter, notifier], { stacks: new Map([[1, stack]]) })).toEqual([
    'Missing notify: thread 1 waits for word 1 while it is 0. It is 7 now.',
    '  thread 1 waits for word 1 at x.mjs:3 for 5.0 s',
    '  A notify would end the wait. As far as is known, thread 2 notified it last, 2.0 s ago, and woke 0 waits so far.',
  ]);
});

test('a word that no thread has taken or notified was never notified, and the page says once what ends such a wait', () => {
  const stack: Stack = { frames: [{ name: 'f', url: 'x.mjs', line: 3 }], word: { now: 0, buffer: 5, bytes: 8 } };
  const waiters = [thread(1, { wait: wait('0/1:0', 0) }), thread(2, { wait: wait('b', 0) })];
  expect(findings([...waiters, turning], { stacks: new Map([[1, stack]]) })).toEqual([
    'Never notified: thread 1 waits for word 1, and no thread has called Atomics.notify on it.',
    '  thread 1 waits for word 1 at x.mjs:3 for 5.0 s',
    '  The word still is 0, as when the wait began. The wait ends when a thread notifies word 1: look for the code that should do so.',
    'Never notified: thread 2 waits for word 2, and no thread has called Atomics.notify on it.',
    '  thread 2 waits for word 2 for 5.0 s',
  ]);
});

test('an event loop that does not turn is named with its stack; a thread in native code has none', () => {
  const stack: Stack = {
    frames: [
      { name: 'f', url: 'x.mjs', line: 3 },
      { name: '', url: 'y.mjs', line: 1 },
    ],
  };
  const stalledSince = new Map([
    [1, NOW - 3000],
    [2, NOW - 2000],
  ]);
  expect(findings([thread(1), thread(2)], { stalledSince, stacks: new Map([[1, stack]]) })).toEqual([
    'Busy: the event loop of thread 1 has not turned for 3.0 s.',
    '  It runs in f (x.mjs:3)',
    '    called by y.mjs:1',
    'Busy: the event loop of thread 2 has not turned for 2.0 s.',
    '  The thread is in a call of the operating system or of native code.',
  ]);
});

test('a page of 1,000 waits has few lines', () => {
  const threads = Array.from({ length: 1000 }, (_, id) =>
    thread(id, { title: `thread ${id}`, wait: wait(`w${id}`, 0) }),
  );
  const page = pageOf(snapshot([...threads, turning]));
  expect(page.split('\n').length).toBeLessThan(200);
});
