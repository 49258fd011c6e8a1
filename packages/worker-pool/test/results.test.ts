import { Mutex } from '@sluice/mutex';
import { Region } from '@sluice/core';
import { expect, test } from 'vitest';
import { COUNT } from './jobs/words.mjs';
import { failureOf, settled, until, withPool } from './support/pool.ts';

const VALUES: readonly (readonly [what: string, value: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 1.5],
  ['minus zero', -0],
  ['not a number', NaN],
  ['a text', 'grüße 👋 \u{feff}'],
  ['an empty text', ''],
  ['half a surrogate', 'a\ud800b'],
  ['a bigint', 2n ** 80n],
  ['a map', new Map([[1, new Set(['a'])]])],
  ['a date', new Date(5)],
  ['bytes', new Uint8Array([1, 2, 3])],
  ['an object', { a: [1, { b: null }] }],
  ['an error', new RangeError('as a value')],
  ['shared memory', new SharedArrayBuffer(8)],
];

const LONG: readonly (readonly [what: string, value: unknown])[] = [
  ['a long text', 'ö'.repeat(3000)],
  ['a long object', { all: Array.from({ length: 3000 }, (_, n) => n) }],
  ['long bytes', new Uint8Array(5000).fill(3)],
];

test('values of all sizes come back unchanged, even if they are longer than the buffer', () =>
  withPool({ bufferBytes: 1024 }, async (pool) => {
    for (const [what, value] of [...VALUES, ...LONG]) expect(await pool.run(value), what).toStrictEqual(value);
  }));

test('values of every length around the buffer size come back unchanged', () =>
  withPool({ bufferBytes: 1024, maxQueue: 8 }, async (pool) => {
    const lengths = Array.from({ length: 120 }, (_, n) => 470 + n);
    const texts = await pool.map(lengths, { name: 'text' });
    expect(texts.map((text) => (text as string).length)).toEqual(lengths);
    expect(await pool.map(texts)).toEqual(texts);
  }));

test('a task sent by message and a result sent through the buffer both arrive, and vice versa', () =>
  withPool({ bufferBytes: 1024, size: 2 }, async (pool) => {
    const inputs = Array.from({ length: 200 }, (_, n) => 'x'.repeat(n % 3 === 0 ? 2000 + n : n));
    expect(await pool.map(inputs)).toEqual(inputs);
  }));

test('a task that cannot be cloned rejects with DataCloneError', () =>
  withPool({}, async (pool) =>
    expect(await failureOf(pool.run(() => undefined))).toMatchObject({ name: 'DataCloneError' }),
  ));

// Fails if the worker waits for ever for a value that cannot be sent.
test('a task that cannot be cloned does not stop its worker', () =>
  withPool({}, async (pool) => {
    await failureOf(pool.run(() => undefined));
    expect(await settled(pool.run(1))).toBe(1);
  }));

test('a task whose result cannot be cloned rejects with a DataCloneError, and the worker continues', () =>
  withPool({}, async (pool) => {
    expect(await failureOf(pool.run(1, { name: 'uncloneable' }))).toMatchObject({ name: 'DataCloneError' });
    expect(await pool.run(1)).toBe(1);
  }));

test('values of the transfer list are transferred', () =>
  withPool({}, async (pool) => {
    const bytes = new Uint8Array(16);
    expect(await pool.run(bytes, { name: 'lengthOf', transferList: [bytes.buffer] })).toBe(16);
    expect(bytes.byteLength).toBe(0);
  }));

test('values of the transfer list are transferred when a worker asks for the task, and not before', () =>
  withPool({ maxQueue: 2 }, async (pool, stage) => {
    const first = pool.run(1, { name: 'hold' });
    const bytes = new Uint8Array(16);
    const second = pool.run(bytes, { name: 'lengthOf', transferList: [bytes.buffer] });
    await until(() => stage.begun === 1);
    expect(bytes.byteLength).toBe(16);
    stage.open();
    expect([await first, await second, bytes.byteLength]).toEqual([1, 16, 0]);
  }));

test('a task without a transfer list is cloned', () =>
  withPool({}, async (pool) => {
    const bytes = new Uint8Array(16);
    expect(await pool.run({ bytes }, { name: 'lengthOf' })).toBe(16);
    expect(bytes.byteLength).toBe(16);
  }));

// The built worker has its own class for moved values. Fails if it does not recognize the class of the package.
test('values that a task moves are transferred', () =>
  withPool({}, async (pool, { words }) => {
    expect(await pool.run(16, { name: 'moved' })).toEqual(new Uint8Array(16).fill(5));
    await until(() => Atomics.load(words, COUNT) !== 16);
    expect(Atomics.load(words, COUNT)).toBe(1);
  }));

test('a transfer list with a value that cannot be transferred rejects', () =>
  withPool({}, async (pool) => expect(await failureOf(pool.run(1, { transferList: [{}] }))).toBeInstanceOf(Error)));

test('handles of primitives and views of shared memory work in tasks', () =>
  withPool({ size: 2 }, async (pool) => {
    const mutex = Mutex.create();
    const count = Region.create(4);
    const task = { mutex: mutex.handle, count: count.int32, times: 500 };
    await Promise.all([1, 2, 3, 4].map(() => pool.run(task, { name: 'countWith' })));
    expect(count.int32[0]).toBe(2000);
    count.free();
    mutex.free();
  }));

/** A depth that overflows the stack of a main thread, but not that of a worker. */
const DEEP = 4000;

// Fails if the error ends the loop that takes results. Then no task settles.
test.each(['nested', 'nestedMessage', 'throwNested'])(
  'a result nested too deeply to be read rejects only its own task (%s)',
  (name) =>
    withPool({ concurrentTasksPerWorker: 2 }, async (pool, stage) => {
      const beside = pool.run(1, { name: 'hold' });
      expect(await settled(failureOf(pool.run(DEEP, { name })))).toBeInstanceOf(RangeError);
      stage.open();
      expect(await settled(beside)).toBe(1);
      expect(await settled(pool.run(2))).toBe(2);
      expect(pool.stats()).toMatchObject({ completed: 2, failed: 1, replaced: 0, running: 0 });
    }),
);

// Fails if the worker ends, or other tasks reject too.
test.each([
  ['in the buffer', []],
  ['as a message', [new SharedArrayBuffer(4)]],
])('a task nested too deeply to be read rejects alone (%s)', (_, inner) =>
  withPool({ concurrentTasksPerWorker: 3, resourceLimits: { stackSizeMb: 0.4 } }, async (pool, stage) => {
    const beside = pool.run(1, { name: 'hold' });
    let deep: unknown[] = inner;
    for (let n = 0; n < 1500; n++) deep = [deep];
    const both = [deep, inner].map((input) => pool.run(input, { name: 'isArray' }));
    expect(await settled(failureOf(both[0]))).toBeInstanceOf(RangeError);
    expect(await settled(Promise.resolve(both[1]))).toBe(true);
    stage.open();
    expect(await beside).toBe(1);
    expect(pool.stats().replaced).toBe(0);
  }),
);

// Fails if the function is sent as a value: a function cannot be cloned.
test('a function with a then method is awaited as a result', () =>
  withPool({ name: 'thenableFunction' }, async (pool) => {
    // The first task of a worker takes a different path from later tasks.
    for (let n = 0; n < 3; n++) expect(await pool.run(n)).toBe('awaited');
  }));

test.each([
  ['closes', 'closePort'],
  ['silences', 'postToAll'],
])('long tasks and results arrive after a task %s the port of its worker', (_, name) =>
  withPool({}, async (pool) => {
    await settled(pool.run(300_000, { name }));
    const long = 'x'.repeat(300_000);
    expect(await settled(pool.run(long))).toBe(long);
    await settled(pool.close());
  }),
);

test('a result sent as a message arrives although its worker ends right afterwards', () =>
  withPool({}, async (pool) => {
    for (let n = 0; n < 5; n++)
      expect(await settled(pool.run(300_000, { name: 'longLastWords' }))).toHaveLength(300_000);
  }));
