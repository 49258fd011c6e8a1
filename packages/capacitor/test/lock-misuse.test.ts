// Wrong options, inner locks, handles and calls of a capacitor lock. Each throws and changes nothing.

import { Arena, MisuseError } from '@sluice/core';
import { LifoLock, TtsLock } from '@sluice/classics';
import { Mutex } from '@sluice/mutex';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { wrong } from '../../core/test/support/misuse-table.ts';
import { CapacitorLock, type CapacitorLockHandle, type InnerLock } from '../src/index.ts';
import { plainLock, PrivateLock } from './support/third-party.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const elsewhere = Arena.create({ maxPages: 2 });
const inner = Mutex.create({ arena });

function look(): unknown {
  const { blocks, agents, used } = arena.inspect();
  return {
    blocks,
    used,
    agents: agents.map(({ agent, holds, waits }) => ({ agent, holds, waits })),
    inner: inner.inspect(),
  };
}

function expectRefused(make: () => unknown, error: string, says: string): void {
  const before = look();
  let failure: unknown;
  try {
    make();
  } catch (thrown) {
    failure = thrown;
  }
  expect(failure).toMatchObject({ name: error });
  expect((failure as Error).message).toContain(says);
  expect(withoutAges(look())).toEqual(withoutAges(before));
}

type Row = readonly [written: string, options: unknown, error: string, says: string];

const OPTIONS: readonly Row[] = [
  ...['0', '-1', '1.5', 'NaN', 'Infinity', '-Infinity', '2147483648', '1e300'].map((written): Row => {
    const says = `must be a whole number from 1 to 2147483647: received ${Number(written)}`;
    return [`{ bypassLimit: ${written} }`, { bypassLimit: Number(written) }, 'RangeError', says];
  }),
  [
    '{ bypassLimit: "10" }',
    { bypassLimit: '10' },
    'TypeError',
    'if it is not \'adaptive\', must be a number: received "10"',
  ],
  ['{ bypassLimit: "Adaptive" }', { bypassLimit: 'Adaptive' }, 'TypeError', 'received "Adaptive"'],
  ['{ bypassLimit: null }', { bypassLimit: null }, 'TypeError', 'received null'],
  ['{ bypassLimit: 10n }', { bypassLimit: 10n }, 'TypeError', 'received 10n'],
  ...[-0.1, 1.1, Number.NaN, Infinity].map((fraction): Row => {
    return [`{ fraction: ${fraction} }`, { fraction }, 'RangeError', `fraction must be 0 to 1: received ${fraction}`];
  }),
  ['{ fraction: "0.5" }', { fraction: '0.5' }, 'TypeError', 'fraction must be a number: received "0.5"'],
  ['{ fraction: null }', { fraction: null }, 'TypeError', 'received null'],
  [
    '{ skipWhenUncontended: 1 }',
    { skipWhenUncontended: 1 },
    'TypeError',
    'skipWhenUncontended must be a boolean: received 1',
  ],
  ['{ skipWhenUncontended: "yes" }', { skipWhenUncontended: 'yes' }, 'TypeError', 'received "yes"'],
  ...[0, 1, -2, 65, 128, 2.5, Number.NaN].map((lanes): Row => {
    const says = `lanes must be a whole number from 2 to 64: received ${lanes}`;
    return [`{ bypassLimit: 200, lanes: ${lanes} }`, { bypassLimit: 200, lanes }, 'RangeError', says];
  }),
  ['{ lanes: 3 }', { lanes: 3 }, 'RangeError', 'lanes must be a power of two: received 3'],
  ['{ bypassLimit: 3, lanes: 4 }', { bypassLimit: 3, lanes: 4 }, 'RangeError', 'more than bypassLimit, 3: received 4'],
  ['{ lanes: 16 }', { lanes: 16 }, 'RangeError', 'lanes must not be more than bypassLimit, 10: received 16'],
  ['{ lanes: "2" }', { lanes: '2' }, 'TypeError', 'lanes must be a number: received "2"'],
  ['{ lanes: {} }', { lanes: {} }, 'TypeError', 'lanes must be a number: received undefined'],
  ['{ lanes: { count: 3 } }', { lanes: { count: 3, order: 'random' } }, 'RangeError', 'received 3'],
  [
    '{ lanes: { count: 2 } }',
    { lanes: { count: 2 } },
    'TypeError',
    "order must be 'ordered' or 'random': received undefined",
  ],
  ['{ lanes: { order: "none" } }', { lanes: { count: 2, order: 'none' } }, 'TypeError', 'received "none"'],
  [
    '{ adaptive, lanes: 2 }',
    { bypassLimit: 'adaptive', lanes: 2 },
    'TypeError',
    "lanes cannot be combined with bypassLimit 'adaptive'",
  ],
  ['null', null, 'TypeError', 'The options must be an object: received null'],
  ['7', 7, 'TypeError', 'received 7'],
  ['{ name: 5 }', { name: 5 }, 'TypeError', 'The name must be a string: received 5'],
  ['{ name: 61 characters }', { name: 'x'.repeat(61) }, 'RangeError', 'received 61'],
  ['{ lanes: random, name: 5 }', { lanes: { count: 2, order: 'random' }, name: 5 }, 'TypeError', 'received 5'],
  ['{ policy: { spinMicros: -1 } }', { policy: { spinMicros: -1 } }, 'RangeError', 'received -1'],
  ['{ policy: null }', { policy: null }, 'TypeError', 'received null'],
  ['{ arena: another }', { arena: elsewhere }, 'MisuseError', 'lives in a different arena'],
];

describe('CapacitorLock.create', () => {
  test.each(OPTIONS)('throws with %s, and creates nothing', (_, options, error, says) => {
    expectRefused(() => CapacitorLock.create(inner, wrong(options)), error, says);
  });

  test('with { lanes: null } names the received value', () => {
    expectRefused(() => CapacitorLock.create(inner, { lanes: wrong(null) }), 'TypeError', 'received null');
  });

  const MORE = [{}, { handle: null }, { handle: 7 }, { handle: {} }, { arena: 7 }];

  test.each(MORE)("accepts a third party's lock, with %j in addition to its methods", (more) => {
    const lock = CapacitorLock.create({ ...plainLock(), ...more }, { arena });
    expect([lock.handle.inner, lock.run(() => lock.owned)]).toEqual([undefined, true]);
    lock.free();
  });

  const INNER: readonly (readonly [written: string, inner: unknown, says: string])[] = [
    ['undefined', undefined, 'The inner lock must be an object with lock and unlock: received undefined'],
    ['null', null, 'received null'],
    ['"lock"', 'lock', 'received "lock"'],
    ['7', 7, 'received 7'],
    ['a function', () => 0, 'received a function'],
    ['{}', {}, 'The inner lock must have lock(): received an object of type Object'],
    ['{ lock }', { lock: () => 0 }, 'The inner lock must have unlock(): received an object of type Object'],
    ['{ unlock }', { unlock: () => 0 }, 'The inner lock must have lock()'],
    ['{ lock: true, unlock }', { lock: true, unlock: () => 0 }, 'The inner lock must have lock()'],
    ['a handle', inner.handle, 'The inner lock must have lock()'],
    ['a class', Mutex, 'received a function'],
  ];

  test.each(INNER)('throws a TypeError for %s, as from() does', (_, none, says) => {
    expectRefused(() => CapacitorLock.create(wrong(none)), 'TypeError', says);
    const lock = CapacitorLock.create(inner);
    expectRefused(() => CapacitorLock.from(lock.handle, wrong(none)), 'TypeError', says);
    lock.free();
  });

  test('throws a TypeError for skipWhenUncontended with a lock without tryLock()', () => {
    const make = (): unknown => CapacitorLock.create(plainLock(), { arena, skipWhenUncontended: true });
    expectRefused(make, 'TypeError', 'skipWhenUncontended needs an inner lock with tryLock.');
  });

  test('the constructor throws', () => {
    const Class = CapacitorLock as unknown as new (...args: readonly unknown[]) => unknown;
    const before = look();
    expect(() => new Class()).toThrow();
    expect(() => new Class(inner, {})).toThrow();
    expect(withoutAges(look())).toEqual(withoutAges(before));
  });
});

describe('CapacitorLock.from', () => {
  const lock = CapacitorLock.create(inner, { bypassLimit: 2 });
  const other = secondAgent(arena);
  const HANDLES: readonly (readonly [written: string, handle: unknown])[] = [
    ['undefined', undefined],
    ['null', null],
    ['"handle"', 'handle'],
    ['{}', {}],
    ['the lock instead of its handle', lock],
    ['the capacitor’s handle', lock.handle.gate],
    ['the inner lock’s handle', inner.handle],
    ['a handle of another kind', { ...lock.handle, kind: 'sluice.mutex' }],
    ['a handle without a gate', { ...lock.handle, gate: undefined }],
    ['a gate that is null', { ...lock.handle, gate: null }],
    ['a gate that is not a handle', { ...lock.handle, gate: {} }],
    ['a gate of another kind', { ...lock.handle, gate: { ...lock.handle.gate, kind: 'sluice.turnstile' } }],
    ['a handle without lanes', { ...lock.handle, gate: { kind: 'sluice.random-lanes' } }],
    ['lanes that are not a list', { ...lock.handle, gate: { kind: 'sluice.random-lanes', lanes: [] } }],
    ['lanes that are null', { ...lock.handle, gate: { kind: 'sluice.random-lanes', lanes: [null] } }],
    ['a freed gate', { ...lock.handle, gate: { ...lock.handle.gate, tag: 1_000_000 } }],
    ['a handle without a fraction', { ...lock.handle, fraction: undefined }],
    ['a handle without skipWhenUncontended', { ...lock.handle, skipWhenUncontended: 1 }],
  ];

  test.each(HANDLES)('%s throws a HandleError', (_, handle) => {
    expectRefused(() => CapacitorLock.from(wrong(handle), inner), 'HandleError', '');
  });

  test('from() with another inner lock than that of create() throws a HandleError', () => {
    const placed: InnerLock[] = [
      Mutex.create({ arena }),
      LifoLock.create({ arena }),
      TtsLock.create({ arena: elsewhere }),
    ];
    for (const wrongInner of [...placed, new PrivateLock(), lock]) {
      expectRefused(() => CapacitorLock.from(lock.handle, wrongInner), 'HandleError', 'wraps a different inner lock');
    }
    const bare = CapacitorLock.create(new PrivateLock(), { arena });
    expectRefused(() => CapacitorLock.from(bare.handle, inner), 'HandleError', 'wraps a different inner lock');
    expect(CapacitorLock.from(bare.handle, new PrivateLock()).run(() => 7)).toBe(7);
  });

  test('from() throws for wrong options', () => {
    expectRefused(() => CapacitorLock.from(lock.handle, inner, wrong(null)), 'TypeError', 'received null');
    expectRefused(
      () => CapacitorLock.from(lock.handle, inner, { policy: { spinMicros: -1 } }),
      'RangeError',
      'received -1',
    );
  });

  test('a capacitor lock cannot be posted, its frozen handle can', () => {
    expect(() => structuredClone(lock)).toThrow('could not be cloned');
    const posted = structuredClone(lock.handle);
    expect(Object.isFrozen(lock.handle)).toBe(true);
    const twin = CapacitorLock.from(posted, inner);
    expect([twin.name, twin.bypassLimit, twin.arena]).toEqual(['', 2, arena]);
    expect(twin.run(() => lock.owned)).toBe(true);
  });

  test('unlock() throws for an agent that does not hold the lock, and free() for one that does', () => {
    const theirs = openAs(other, inner.handle, (handle) => {
      const gate = { ...lock.handle.gate, arena: handle.arena } as CapacitorLockHandle['gate'];
      const placed = lock.handle.inner && { ...lock.handle.inner, arena: handle.arena };
      return CapacitorLock.from({ ...lock.handle, gate, inner: placed }, Mutex.from(handle));
    });
    const notHeld = 'does not hold it.';
    for (const each of [lock, theirs]) expectRefused(() => each.unlock(), 'MisuseError', notHeld);
    lock.lock();
    expectRefused(() => theirs.unlock(), 'MisuseError', notHeld);
    expectRefused(() => lock.free(), 'MisuseError', 'cannot be freed');
    expectRefused(() => theirs.free(), 'MisuseError', 'cannot be freed');
    expectRefused(() => lock.lock(), 'MisuseError', 'is owned by this agent');
    expectRefused(() => lock.markConsistent(), 'MisuseError', 'was not inherited');
    lock.unlock();
    expectRefused(() => lock.markConsistent(), 'MisuseError', 'does not own it');
  });

  test.each([
    ['lock()', (one: CapacitorLock) => one.lock()],
    ['tryLock()', (one: CapacitorLock) => one.tryLock()],
    ['lockAsync()', (one: CapacitorLock) => one.lockAsync()],
    ['run(body)', (one: CapacitorLock) => one.run(() => 0)],
    ['runAsync(body)', (one: CapacitorLock) => one.runAsync(() => 0)],
    ['unlock()', (one: CapacitorLock) => one.unlock()],
    ['free()', (one: CapacitorLock) => one.free()],
    ['inspect()', (one: CapacitorLock) => one.inspect()],
    ['name', (one: CapacitorLock) => one.name],
    ['bypassLimit', (one: CapacitorLock) => one.bypassLimit],
  ] as const)('%s of a freed lock throws a MisuseError, and the inner lock stays free', async (_, use) => {
    for (const options of [
      {},
      { bypassLimit: 'adaptive' },
      { lanes: 2 },
      { lanes: { count: 2, order: 'random' } },
    ] as const) {
      const freed = CapacitorLock.create(inner, options);
      freed.free();
      await expect(Promise.resolve().then(() => use(freed))).rejects.toThrow(MisuseError);
      expect(inner.tryLock()).toBe(true);
      inner.unlock();
    }
  });
});
