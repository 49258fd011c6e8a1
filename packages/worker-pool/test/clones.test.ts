// Tests that in both directions and by every way, a value arrives as `structuredClone` returns it: with the same
// identities, sharing, offsets and lengths.

import { webcrypto } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { oneIn } from '@sluice/harness';
import { expect, test } from 'vitest';
import { CLONEABLES, describe as linesOf } from './jobs/cloneables.mjs';
import { failureOf, withPool, type AnyPool } from './support/pool.ts';

const filename = fileURLToPath(new URL('jobs/cloneables.mjs', import.meta.url));
const NAMES = Object.keys(CLONEABLES);
const LONG = 'x'.repeat(20_000);

const make = (name: string): unknown => CLONEABLES[name]?.();
/** The expected value. */
const expected = (name: string): string[] => linesOf(structuredClone(make(name)));

/** Compares all values in sequence in one pool. So each way has one test, instead of one test per value. */
async function compareAll(
  options: object,
  received: (pool: AnyPool, name: string) => Promise<string[]>,
): Promise<void> {
  await withPool({ filename, ...options }, async (pool) => {
    for (const name of NAMES) expect(await received(pool, name), name).toEqual(expected(name));
  });
}

type Lines = Promise<string[]>;

const TASKS: readonly (readonly [way: string, options: object, received: (pool: AnyPool, name: string) => Lines])[] = [
  ['alone', {}, (pool, name) => pool.run(make(name)) as Lines],
  ['to another function', {}, (pool, name) => pool.run({ value: make(name) }, { name: 'describeValue' }) as Lines],
  [
    'too long for the buffer',
    { bufferBytes: 1024 },
    (pool, name) => pool.run({ value: make(name), LONG }, { name: 'describeValue' }) as Lines,
  ],
  [
    'beside what goes as a message',
    { name: 'describeValue' },
    (pool, name) => pool.run({ value: make(name), other: new SharedArrayBuffer(4) }) as Lines,
  ],
  [
    'beside a port',
    { name: 'describeValue' },
    (pool, name) => {
      const { port1 } = new MessageChannel();
      return pool.run({ value: make(name), port1 }, { transferList: [port1] }) as Lines;
    },
  ],
  ['through map', {}, async (pool, name) => ((await pool.map([make(name)])) as string[][])[0] ?? []],
  ['to a worker that waits blocked', { atomics: 'sync' }, (pool, name) => pool.run(make(name)) as Lines],
];

test.each(oneIn(2, TASKS))('a task arrives as a clone: %s', (_, options, received) => compareAll(options, received));

const RESULTS: readonly (readonly [way: string, options: object, received: (pool: AnyPool, name: string) => Lines])[] =
  [
    ['alone', { name: 'make' }, async (pool, name) => linesOf(await pool.run(name))],
    [
      'too long for the buffer',
      { name: 'makeBeside', bufferBytes: 1024 },
      async (pool, name) => linesOf(valueOf(await pool.run({ name, padding: LONG }))),
    ],
    [
      'beside what goes as a message',
      { name: 'makeBeside' },
      async (pool, name) => linesOf(valueOf(await pool.run({ name }))),
    ],
    ['through map', { name: 'make' }, async (pool, name) => linesOf((await pool.map([name]))[0])],
    [
      'thrown in a property of an error',
      { name: 'failWith' },
      async (pool, name) => linesOf((valueOf(await failureOf(pool.run(name))) as { readonly of: unknown }).of),
    ],
  ];

function valueOf(result: unknown): unknown {
  return (result as { readonly value: unknown }).value;
}

test.each(oneIn(2, RESULTS))('a result arrives as a clone: %s', (_, options, received) =>
  compareAll(options, received),
);

test('a thrown value that is not an error arrives as a clone', () =>
  withPool({ filename, name: 'fail' }, async (pool) => {
    const names = NAMES.filter((name) => !(make(name) instanceof Error));
    for (const name of names) expect(linesOf(await failureOf(pool.run(name))), name).toEqual(expected(name));
  }));

test('a CryptoKey can be used after its transfer', () =>
  withPool({}, async (pool) => {
    const key = await webcrypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']);
    const arrived = (await pool.run({ key })) as { key: typeof key };
    expect(await webcrypto.subtle.exportKey('jwk', arrived.key)).toEqual(await webcrypto.subtle.exportKey('jwk', key));
  }));

test('a port and an ArrayBuffer of the transferList are transferred together with views and clones', () =>
  withPool({}, async (pool) => {
    const { port1, port2 } = new MessageChannel();
    const buffer = new ArrayBuffer(16);
    const task = { port1, buffer, view: new Uint8Array(buffer, 4, 2), kept: new Uint8Array([7]) };
    const result = pool.run(task, { name: 'overPort', transferList: [port1, buffer] });
    expect(await new Promise((resolve) => port2.once('message', resolve))).toEqual([16, 4, true, 7]);
    await result;
    expect([buffer.byteLength, task.view.byteLength, task.kept.byteLength]).toEqual([0, 0, 1]);
    port2.close();
  }));

class Own {
  readonly port: MessagePort;
  readonly inner = { n: 1 };
  readonly again = this.inner;
  readonly whole = new Uint8Array(16).fill(3);
  readonly part = new Uint8Array(this.whole.buffer, 4, 2);

  constructor(port: MessagePort) {
    this.port = port;
  }
}

class OwnOfOwn {
  readonly own: Own;
  readonly same: Own;
  readonly list: readonly unknown[];

  constructor(port: MessagePort) {
    this.own = this.same = new Own(port);
    this.list = [this, this.own.whole, port];
  }
}

const HOLDERS: readonly (readonly [what: string, make: (port: MessagePort) => object, most: number])[] = [
  ['an object of a class', (port) => new Own(port), 0],
  ['objects of classes in each other', (port) => new OwnOfOwn(port), 0],
  [
    'one beside a getter',
    (port) => ({
      own: new Own(port),
      get n(): number {
        return 1;
      },
    }),
    0,
  ],
  ['an object of a class, whose memory is handed over, too', (port) => new Own(port), 1],
];

test.each(HOLDERS)(
  'a value with a port of the transferList arrives as a clone, without memory of other Buffers: %s',
  (_, make, moved) =>
    withPool({ filename }, async (pool) => {
      // The small Buffer is left out of the comparison, because it differs from a clone.
      const made = (isSmall: boolean): { readonly value: object; readonly transfer: Transferred[] } => {
        const { port1 } = new MessageChannel();
        const held = make(port1);
        const value = isSmall ? [held, new Holder(port1)] : [held];
        return { value, transfer: moved === 0 ? [port1] : [port1, (held as Own).whole.buffer] };
      };
      const oracle = made(false);
      const clone = linesOf(structuredClone(oracle.value, { transfer: oracle.transfer as [] }));
      const plain = made(false);
      expect(await pool.run(plain.value, { transferList: plain.transfer })).toEqual(clone);
      const small = made(true);
      const lines = (await pool.run(small.value, { transferList: small.transfer })) as string[];
      expect(lines.filter((line) => line.includes('[small].buffer'))).toEqual([expect.stringContaining(' 2 false')]);
      expect(lines.filter((line) => line.includes('[port]: again'))).not.toEqual([]);
      expect(lines.filter((line) => line.startsWith('it[0]')).map(withoutNumber)).toEqual(
        clone.filter((line) => line.startsWith('it[0]')).map(withoutNumber),
      );
    }),
);

type Transferred = MessagePort | ArrayBuffer;

class Holder {
  readonly port: MessagePort;
  readonly small = Buffer.from('hi');

  constructor(port: MessagePort) {
    this.port = port;
  }
}

/**
 * Removes the numbers. They count objects in the order in which these were met, and so differ for later objects of the
 * value.
 */
function withoutNumber(line: string): string {
  return line.replace(/: (again )?\d+/, ': $1');
}

test.each(['alone', 'beside others'])(
  'a view of shared memory shows the same memory in the worker and in the result (%s)',
  (which) =>
    withPool({ filename, name: 'writeInto' }, async (pool) => {
      const view = new Int32Array(new SharedArrayBuffer(64), 8, 2);
      for (let n = 1; n < 4; n++) {
        const back = (await pool.run(which === 'alone' ? { view } : { view, all: view.buffer })) as Int32Array;
        expect([view[0], back[0], back.byteOffset, back.buffer.byteLength]).toEqual([n, n, 8, 64]);
        back[0] = n;
      }
    }),
);

const VALUES_WITHOUT_A_CLONE: readonly (readonly [what: string, value: unknown])[] = [
  ['a function', () => undefined],
  ['arguments', argumentsOf(1, 2)],
  [
    'arguments beside a getter',
    [
      argumentsOf(1),
      {
        get a(): number {
          return 1;
        },
      },
    ],
  ],
  ['arguments beside a Buffer', [argumentsOf(1), Buffer.from('hi')]],
  ['a symbol', Symbol('it')],
  ['a function deep inside', { a: [new Map([[1, () => undefined]])] }],
  ['a proxy', new Proxy({ a: 1 }, {})],
  ['a WeakMap', new WeakMap()],
  ['a promise', Promise.resolve(1)],
  ['a port that is not transferred', new MessageChannel().port1],
  ['a memory that is not shared', new WebAssembly.Memory({ initial: 1 })],
  ['a detached ArrayBuffer', detached()],
];

function argumentsOf(...values: number[]): unknown {
  return (runInThisContext('(function () { return arguments; })') as (...given: number[]) => unknown)(...values);
}

function detached(): ArrayBuffer {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

test.each(VALUES_WITHOUT_A_CLONE)('a value that cannot be cloned rejects only its own task: %s', (_, value) =>
  withPool({}, async (pool) => {
    expect(() => structuredClone(value)).toThrow();
    expect(await failureOf(pool.run(value))).toBeInstanceOf(Error);
    expect(await pool.run(1)).toBe(1);
  }),
);

test('a task whose getter throws rejects with the getter’s error', () =>
  withPool({}, async (pool) => {
    const value = {
      get a(): number {
        throw new RangeError('not now');
      },
    };
    expect(await failureOf(pool.run(value))).toMatchObject({ message: 'not now' });
  }));

test('a getter is called once for a task that fits into the buffer', () =>
  withPool({}, async (pool) => {
    let calls = 0;
    const value = {
      get a(): number {
        return (calls += 1);
      },
    };
    expect(await pool.run(value)).toEqual({ a: 1 });
    expect(calls).toBe(1);
  }));
