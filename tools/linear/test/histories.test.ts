// Tests histories in a short notation: one word per operation, `kind:values@began-ended`.

import { expect, test } from 'vitest';
import { checkHistory, type Kind, type Operation, type Outcome, type QueueSpec } from '../src/index.ts';
import { bruteForce } from './brute-force.ts';

/** `push:1@0-5` · `pop:1,2@3-9` · another outcome: `pop:refused@0-5`, `push:7closed@0-5` · no end: pending. */
function read(text: string): Operation[] {
  return text.split(/\s+/).map((word) => {
    const parts = /^(\w+):?([\d,]*)([a-z]*)@(\d+)-(\d*)$/.exec(word) ?? [];
    const [, kind = '', values = '', outcome = '', began = '', ended = ''] = parts;
    if (kind === '') throw new Error(`not an operation: ${word}`);
    const isPending = ended === '';
    return {
      kind: kind as Kind,
      outcome: isPending ? 'pending' : outcome === '' ? 'done' : (outcome as Outcome),
      values: values === '' ? [] : values.split(',').map(Number),
      began: Number(began),
      ended: isPending ? Infinity : Number(ended),
    };
  });
}

interface Told {
  readonly name: string;
  readonly history: string;
  readonly spec?: QueueSpec;
  /** A part of the expected reason. */
  readonly because?: RegExp;
}

const ONE: QueueSpec = { room: 1 };
const TWO: QueueSpec = { room: 2 };
const BY_VALUE: QueueSpec = { room: 5, unitsOf: (value) => value };

const GOOD: readonly Told[] = [
  { name: 'one after the other', history: 'push:1@1-2 pop:1@3-4 push:2@5-6 pop:2@7-8' },
  { name: 'a pop that begins before its push and ends before it, too', history: 'pop:1@1-5 push:1@2-9' },
  { name: 'pushes that overlap come out in either order', history: 'push:1@1-4 push:2@2-3 pop:2@5-6 pop:1@7-8' },
  { name: 'pops that overlap take in either order', history: 'push:1@1-2 push:2@3-4 pop:2@5-8 pop:1@6-7' },
  {
    name: 'a batch goes in at once, and comes out in parts',
    history: 'push:1,2,3@1-2 pop:1,2@3-4 pop:3@5-6',
    spec: { room: 3 },
  },
  { name: 'a push that waits for room', history: 'push:1@1-2 push:2@3-9 pop:1@4-5 pop:2@6-7', spec: ONE },
  { name: 'no room while it is full', history: 'push:1@1-2 push:2refused@3-4 pop:1@5-6', spec: ONE },
  {
    name: 'no room during a pop of the last value',
    history: 'push:1@1-2 pop:1@3-8 push:2refused@4-5',
    spec: ONE,
  },
  { name: 'no value during a push', history: 'push:1@1-6 pop:refused@2-3 pop:1@7-8' },
  { name: 'no value beside another pop that may wait before it', history: 'push:1@1-2 pop:refused@3-6 pop:1@4-5' },
  { name: 'no room beside a close', history: 'close@1-4 push:1refused@2-3 push:2closed@5-6' },
  {
    name: 'a long value does not fit, but a short one does',
    history: 'push:3@1-2 push:4refused@3-4 push:2@5-6',
    spec: BY_VALUE,
  },
  { name: 'a cancelled push tells nothing', history: 'push:1gone@1-2 pop:refused@3-4' },
  { name: 'the end', history: 'push:1@1-2 close@3-4 push:2closed@5-6 pop:1@7-8 pop:closed@9-10 close@11-12' },
  {
    name: 'a push beside a close is done or not',
    history: 'close@1-8 push:1@2-3 push:2closed@4-5 pop:1@9-10 pop:closed@11-12',
  },
  { name: 'the push of a killed thread was done', history: 'push:1@1- pop:1@2-3' },
  { name: 'the push of a killed thread was not done', history: 'push:1@1- pop:refused@2-3' },
  {
    name: 'a batch of a killed thread was pushed as far as there was room',
    history: 'push:1,2,3@1- pop:1@3-4 pop:2@5-6 pop:refused@7-8',
    spec: TWO,
  },
  { name: 'a killed thread took a value', history: 'push:1@1-2 push:2@3-4 pop@5- pop:2@7-8' },
];

const BAD: readonly Told[] = [
  {
    name: 'a value is lost',
    history: 'push:1@1-2 push:2@3-4 pop:2@5-6',
    because: /2 overtook 1, which went in first and never came out/,
  },
  {
    name: 'a value is lost at the end',
    history: 'push:1@1-2 close@3-4 pop:closed@5-6',
    because: /told the end, and 1 was left/,
  },
  { name: 'a value comes out twice', history: 'push:1@1-2 pop:1@3-4 pop:1@5-6', because: /1 came out twice/ },
  { name: 'a value comes from nowhere', history: 'push:1@1-2 pop:7@3-4', because: /7 came out and never went in/ },
  {
    name: 'a refused value comes out',
    history: 'push:1@1-2 push:7refused@3-4 pop:1@5-6 pop:7@7-8',
    spec: ONE,
    because: /7 came out and never/,
  },
  {
    name: 'the value of a cancelled push comes out',
    history: 'push:7gone@3-4 pop:7@7-8',
    because: /7 came out and never went in/,
  },
  {
    name: 'the order of two pushes in sequence is swapped',
    history: 'push:1@1-2 push:2@3-4 pop:2@5-6 pop:1@7-8',
    because: /2 overtook 1/,
  },
  {
    name: 'the order is swapped in a pop',
    history: 'push:1@1-2 push:2@3-4 pop:2,1@5-6',
    because: /1 was put in first and came out behind 2: pop 2 1/,
  },
  { name: 'the order is swapped in a push', history: 'push:1,2@1-2 pop:2@3-4 pop:1@5-6', because: /2 overtook 1/ },
  {
    name: 'a value comes out before its push begins',
    history: 'pop:1@1-2 push:1@3-4',
    because: /1 came out before it went in/,
  },
  {
    name: 'no value although there certainly is one',
    history: 'push:1@1-2 pop:refused@3-4 pop:1@5-6',
    because: /it never was empty meanwhile/,
  },
  {
    name: 'no value although one of two values is there',
    history: 'push:1@1-2 push:2@4-5 pop:refused@3-8 pop:1@9-10 pop:2@11-12',
    because: /it never was empty meanwhile/,
  },
  {
    name: 'no value although each of two values is there for half of the time',
    history: 'push:1@1-2 push:2@3-6 push:3@7-8 pop:refused@9-10 pop:1,2,3@11-12',
    spec: { room: 3 },
    because: /it never was empty meanwhile/,
  },
  {
    name: 'a push into a full queue',
    history: 'push:1@1-2 push:2@3-4 pop:1@5-6 pop:2@7-8',
    spec: ONE,
    because: /2 units in a room of 1/,
  },
  {
    name: 'a long value that does not fit',
    history: 'push:3@1-2 push:4@3-4 pop:3@5-6',
    spec: BY_VALUE,
    because: /7 units in a room of 5/,
  },
  {
    name: 'a push into a queue that is full in every order',
    history: 'push:1@1-4 push:2@2-3 push:3@5-6 pop:1@7-10 pop:2@8-9 pop:3@11-12',
    spec: TWO,
    because: /3 units in a room of 2/,
  },
  {
    name: 'no room although there certainly is',
    history: 'push:1@1-2 push:2refused@3-4 pop:1@5-6',
    spec: TWO,
    because: /there was some all the time/,
  },
  {
    name: 'no room although the last value is out',
    history: 'push:1@1-2 pop:1@3-4 push:2refused@5-6',
    spec: ONE,
    because: /there was some/,
  },
  { name: 'a push after the close', history: 'close@1-2 push:1@3-4 pop:1@5-6', because: /went in after the close/ },
  {
    name: 'the end is reported while a value is left',
    history: 'push:1@1-2 close@3-4 pop:closed@5-6 pop:1@7-8',
    because: /was told the end, and 1 was left/,
  },
  { name: 'the end is reported before any close', history: 'push:1closed@1-2 close@3-4', because: /before any close/ },
  {
    name: 'no value instead of the end',
    history: 'close@1-2 pop:refused@3-4',
    because: /no order explains pop \(refused\)/,
  },
  {
    name: 'no room instead of the end',
    history: 'push:1@1-2 close@3-4 push:2refused@5-6',
    spec: ONE,
    because: /no order explains push 2 \(refused\)/,
  },
  {
    name: 'open again after a close that other threads saw',
    history: 'close@1-9 push:1closed@2-3 push:2@4-5',
    because: /no order explains/,
  },
  {
    name: 'a killed thread took a value from the middle',
    history: 'push:1@1-2 push:2@3-4 push:3@5-6 pop@7- pop:1@8-9 pop:3@12-13 pop:2@14-15',
    because: /3 overtook 2/,
  },
  {
    name: 'a killed thread took two values',
    history: 'push:1@1-2 push:2@3-4 pop@5- close@7-8 pop:closed@9-10',
    because: /no order explains/,
  },
  {
    name: 'the end of a killed thread’s batch is in the queue, but not its beginning',
    history: 'push:1,2@1- pop:2@3-4',
    because: /2 overtook 1/,
  },
  {
    name: 'no room although values that may still be inside had to leave for others',
    history: 'push:1@1-2 pop:1@3-20 push:2@4-5 pop:2@6-7 push:3refused@8-9',
    spec: ONE,
    because: /no order explains push 3 \(refused\)/,
  },
];

test.each(GOOD)('$name: linearizable', ({ history, spec = TWO }) => {
  expect(checkHistory(read(history), spec)).toMatchObject({ linearizable: true });
  expect(bruteForce(read(history), spec)).toBe(true);
});

test.each(BAD)('$name: not linearizable', ({ history, spec = TWO, because = /./ }) => {
  const verdict = checkHistory(read(history), spec);
  expect(verdict).toMatchObject({ linearizable: false });
  expect(verdict.reason).toMatch(because);
  // Without the rules, the search must find the fault, too.
  expect(checkHistory(read(history), spec, { rules: false })).toMatchObject({ linearizable: false });
  expect(bruteForce(read(history), spec)).toBe(false);
});

test('check() counts the refusals that tell the state, and those beside another call of their side', () => {
  const history = read('push:1@1-2 push:2refused@3-4 pop:1@5-9 pop:refused@6-7');
  expect(checkHistory(history, ONE).refusals).toEqual({ checked: 1, excused: 1 });
});

test('check() reports that it does not know when the search reaches its limit', () => {
  const history = read('push:1@1-9 push:2@2-8 push:3@3-7 pop:3@10-11 pop:2@12-13 pop:1@14-15');
  const verdict = checkHistory(history, { room: 3 }, { most: 1 });
  expect(verdict).toMatchObject({ linearizable: undefined });
  expect(verdict.reason).toMatch(/^given up, at most got to /);
});

test('a value that was pushed twice is reported as an error of the history', () => {
  expect(() => checkHistory(read('push:1@1-2 pop:1@3-4 push:1@5-6'), ONE)).toThrow('put in twice');
});

test('values that contradict the order of the line are refused, although without the line they would be possible', () => {
  const taken = read('push:1@1-2 push:2@3-4 pop:2@0-9 pop:1@0-8');
  const put = read('push:1@0-8 push:2@0-9 pop:2@10-11 pop:1@12-13');
  const inLine = (all: readonly Operation[], kind: Kind, places: readonly number[]): Operation[] => {
    let next = 0;
    return all.map((operation) => (operation.kind === kind ? { ...operation, place: places[next++] ?? 0 } : operation));
  };
  for (const [history, kind] of [
    [taken, 'pop'],
    [put, 'push'],
  ] as const) {
    expect(checkHistory(history, TWO).linearizable).toBe(true);
    expect(checkHistory(inLine(history, kind, [2, 1]), TWO).linearizable).toBe(true);
    expect(checkHistory(inLine(history, kind, [1, 2]), TWO).linearizable).toBe(false);
  }
});
