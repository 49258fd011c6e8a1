// Tests which orders of the keys of a keyed mutex are reported.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Arena } from '../../../packages/core/src/index.ts';
import {
  startOrderChecks,
  type OrderChecks,
  type OrderOptions,
  type OrderViolation,
} from '../../../packages/inspect/src/index.ts';
import { Mutex } from '../../../packages/mutex/src/index.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';

let checks: OrderChecks | undefined;
let found: OrderViolation[] = [];
let accounts: KeyedMutex;
let log: Mutex;

function start(options: OrderOptions = {}): void {
  checks?.stop();
  checks = startOrderChecks({ onViolation: (violation) => found.push(violation), ...options });
}

beforeEach(() => {
  found = [];
  start();
  // The classes of each test are those of its arena.
  const arena = Arena.create({ maxPages: 16 });
  accounts = KeyedMutex.create({ arena, name: 'accounts' });
  log = Mutex.create({ arena, name: 'log' });
});

afterEach(() => {
  checks?.stop();
});

function nest(outer: string, inner: string): void {
  accounts.run(outer, () => accounts.run(inner, () => undefined));
}

test('the keys of a keyed mutex are one class', () => {
  for (let key = 0; key < 10_000; key++) {
    accounts.lock(`${key}`);
    log.lock();
    log.unlock();
    accounts.unlock(`${key}`);
  }
  log.run(() => accounts.run('alice', () => undefined));
  expect(found.map(({ steps }) => steps.map(({ held, asked }) => [held, asked]))).toEqual([
    [
      ["lock 'log'", "lock 'accounts'"],
      ["lock 'accounts'", "lock 'log'"],
    ],
  ]);
});

test('a cycle of three keys is reported', () => {
  nest('alice', 'bob');
  nest('bob', 'carol');
  expect(found).toEqual([]);
  nest('carol', 'alice');
  expect(found.map(({ steps }) => steps.length)).toEqual([3]);
  expect(found[0]?.text).toContain("lock 'accounts', key 'carol'");
});

test('runAsync() of a key within runAsync() of a lock is reported', async () => {
  await log.runAsync(() => accounts.runAsync('alice', () => Promise.resolve()));
  await accounts.runAsync('alice', () => log.runAsync(() => Promise.resolve()));
  expect(found).toHaveLength(1);
});

test('a nesting of keys against the declared order is reported', () => {
  start({ nesting: { accounts: (outer, inner) => outer < inner, '': 'any' } });
  accounts = KeyedMutex.create({ arena: Arena.create({ maxPages: 16 }), name: 'accounts' });
  nest('1', '2');
  expect(found).toEqual([]);
  for (let round = 0; round < 2; round++) nest('4', '3');
  expect(found.map(({ kind, steps }) => [kind, steps[0]?.held, steps[0]?.asked])).toEqual([
    ['nesting', "lock 'accounts', key '4'", "lock 'accounts', key '3'"],
  ]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('of the rule');
    },
    'of the rule',
  ],
  ['returns a promise', () => Promise.reject(new Error('late')) as never, 'it returned a promise'],
] as const)('a nesting that %s warns once, and the calls acquire their locks', async (_, accountsRule, why) => {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  try {
    start({
      nesting: { accounts: accountsRule },
    });
    accounts = KeyedMutex.create({ arena: Arena.create({ maxPages: 16 }), name: 'accounts' });
    let runs = 0;
    for (let round = 0; round < 2; round++) accounts.at('4').run(() => accounts.at('3').run(() => (runs += 1)));
    await new Promise((resolve) => setImmediate(resolve));
    expect([runs, found]).toEqual([2, []]);
    expect(warnings).toEqual([
      `The nesting of 'accounts' threw an error for the keys "4" and "3": ${why}. Orders for which it throws are not reported.`,
    ]);
  } finally {
    process.off('warning', note);
  }
});
