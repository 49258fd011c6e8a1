// Tests errors as graphs, compared with `structuredClone` of plain objects with the same references.
import { expect, test } from 'vitest';
import { packFailure, unpackFailure } from '../src/messages/failure.ts';
import { Random } from '@sluice/harness';

function sent(thrown: unknown): unknown {
  return unpackFailure(structuredClone(packFailure(thrown, (value) => structuredClone(value))));
}

type Node = Record<string, unknown>;

/**
 * Returns the references of a graph as text. The text is the same for two graphs of the same shape. Follows only the
 * keys `cause`, `errors` and `own…`.
 */
function shapeOf(root: unknown): string {
  const numbers = new Map<object, number>();
  const nodes: object[] = [];
  const numberOf = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    const known = numbers.get(node);
    if (known !== undefined) return known;
    numbers.set(node, nodes.length);
    nodes.push(node);
    return nodes.length - 1;
  };
  numberOf(root);
  const lines: string[] = [];
  for (const node of nodes) {
    const edges: unknown[] = [Array.isArray(node) ? 'list' : (node as Node)['message']];
    if (Array.isArray(node)) edges.push(...node.map(numberOf));
    else
      for (const key of ['cause', 'ownNext', 'ownList', 'ownOther', 'inner'])
        edges.push(key in node ? numberOf((node as Node)[key]) : '-');
    if (!Array.isArray(node) && Array.isArray((node as Node)['errors']))
      edges.push(((node as Node)['errors'] as unknown[]).map(numberOf).join());
    lines.push(edges.join(' '));
  }
  return lines.join('\n');
}

/** Creates a random graph twice: from errors, and from plain objects. */
function graphs(seed: number): { readonly errors: unknown; readonly plain: unknown } {
  const random = new Random(seed);
  const next = (below: number): number => random.below(below);
  const count = 1 + next(6);
  const make = (of: (message: string, isMany: boolean) => Node): Node[] =>
    Array.from({ length: count }, (_, n) => of(`error ${n}`, n % 2 === 1));
  const errors = make(
    (message, isMany) => (isMany ? new AggregateError([], message) : new RangeError(message)) as unknown as Node,
  );
  const plain = make((message, isMany) => (isMany ? { message, errors: [] } : { message }));
  // Containers, which errors may share, too.
  const boxes = [0, 1].map((): readonly [Node, Node] => [{ inner: undefined }, { inner: undefined }]);
  const lists = [0, 1].map(() => [[], []] as readonly [unknown[], unknown[]]);
  const pick = (): readonly [unknown, unknown] => {
    const kind = next(4);
    if (kind === 0) return boxes[next(2)] as readonly [Node, Node];
    if (kind === 1) return lists[next(2)] as readonly [unknown[], unknown[]];
    const n = next(count);
    return [errors[n], plain[n]];
  };
  for (const [one, other] of boxes) [one.inner, other.inner] = pick();
  for (const [one, other] of lists) {
    for (let n = next(3); n > 0; n--) {
      const [a, b] = pick();
      one.push(a);
      other.push(b);
    }
  }
  for (let n = 0; n < count; n++) {
    const [error, twin] = [errors[n] as Node, plain[n] as Node];
    // Errors that are only within other values arrive as clones.
    [error['ownNext'], twin['ownNext']] = [errors[n + 1], plain[n + 1]];
    for (const key of ['cause', 'ownList', 'ownOther']) if (next(2) === 0) [error[key], twin[key]] = pick();
    for (let parts = next(4); parts > 0 && n % 2 === 1; parts--) {
      const [a, b] = pick();
      (error['errors'] as unknown[]).push(a);
      (twin['errors'] as unknown[]).push(b);
    }
  }
  return { errors: errors[0], plain: plain[0] };
}

test('errors that refer to each other at random arrive with the same references as a clone of plain objects', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { errors, plain } = graphs(seed);
    const expected = shapeOf(structuredClone(plain));
    expect(shapeOf(errors), `seed ${seed}`).toBe(expected);
    expect(shapeOf(sent(errors)), `seed ${seed}`).toBe(expected);
  }
});

test('an error that each of many layers contains twice is sent once', () => {
  let error: Error = new TypeError('leaf');
  for (let level = 1; level <= 40; level++) error = new AggregateError([error, error], `level ${level}`);
  expect(packFailure(error).errors).toHaveLength(41);
  let seen = sent(error) as AggregateError;
  for (let level = 40; level > 0; level--) {
    expect(seen).toBeInstanceOf(AggregateError);
    expect(seen.message).toBe(`level ${level}`);
    expect(seen.errors[0]).toBe(seen.errors[1]);
    seen = seen.errors[0] as AggregateError;
  }
  expect(seen).toBeInstanceOf(TypeError);
});

test('an error that is its own cause, part and property keeps these references', () => {
  const error = Object.assign(new AggregateError([], 'a circle'), { own: { of: [] as unknown[] } });
  error.errors.push(error);
  error.own.of.push(error);
  error.cause = error;
  const seen = sent(error) as typeof error;
  expect(seen).toMatchObject({ name: 'AggregateError', message: 'a circle' });
  expect([seen.cause, seen.errors[0], seen.own.of[0]]).toEqual([seen, seen, seen]);
});

test('an error that is a property, and is also within other properties, arrives as one error with its name and properties', () => {
  const inner = Object.assign(new Error('inner'), { name: 'InnerError', code: 'E_INNER' });
  const seen = sent(
    Object.assign(new Error('outer'), { all: new Map([['first', { inner }]]), inner, list: [inner] }),
  ) as {
    readonly inner: unknown;
    readonly all: ReadonlyMap<string, { readonly inner: unknown }>;
    readonly list: readonly unknown[];
  };
  expect(seen.inner).toMatchObject({ name: 'InnerError', code: 'E_INNER', message: 'inner' });
  expect(seen.all.get('first')?.inner).toBe(seen.inner);
  expect(seen.list[0]).toBe(seen.inner);
});

test('a thrown value that is not an error arrives as a clone, including errors that it shares', () => {
  const inner = new RangeError('inner');
  const thrown = sent({ failed: [inner, inner] }) as { readonly failed: readonly unknown[] };
  expect(thrown.failed[0]).toBeInstanceOf(RangeError);
  expect(thrown.failed[1]).toBe(thrown.failed[0]);
});

test('a value that properties of several errors share is shared after arrival', () => {
  const context = { user: 5, list: [1] };
  const cause = Object.assign(new Error('cause'), { context });
  const seen = sent(Object.assign(new Error('outer', { cause }), { context })) as {
    readonly context: object;
    readonly cause: { readonly context: object };
  };
  expect(seen.context).toEqual(context);
  expect(seen.cause.context).toBe(seen.context);
});

const throwing = (): never => {
  throw new Error('not readable');
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

type Unreadable = readonly [
  what: string,
  error: () => unknown,
  expected: { readonly type?: new (message: string) => Error; readonly [key: string]: unknown },
];
const define = (error: Error, key: string, property: PropertyDescriptor): Error =>
  Object.defineProperty(error, key, { configurable: true, ...property });

const UNREADABLE: readonly Unreadable[] = [
  [
    'parts that are null',
    () => define(new AggregateError([], 'm'), 'errors', { value: null }),
    { name: 'AggregateError' },
  ],
  [
    'parts that throw',
    () => define(new AggregateError([], 'm'), 'errors', { get: throwing }),
    { name: 'AggregateError' },
  ],
  [
    'parts that are no list',
    () => define(new AggregateError([], 'm'), 'errors', { value: new Map() }),
    { name: 'AggregateError' },
  ],
  [
    'parts with a revoked proxy',
    () => new AggregateError([revoked(), new TypeError('two')], 'm'),
    { name: 'AggregateError', errors: [expect.stringContaining('not cloneable'), { message: 'two' }] },
  ],
  [
    'parts that include a function',
    () => new AggregateError([throwing, new TypeError('two')], 'm'),
    { errors: [expect.stringContaining('not cloneable'), { message: 'two' }] },
  ],
  [
    'a part that throws',
    () =>
      define(new AggregateError([], 'm'), 'errors', { value: Object.defineProperty([1, 2, 3], 1, { get: throwing }) }),
    { errors: [1, undefined, 3] },
  ],
  [
    'a name that throws',
    () => define(new TypeError('m'), 'name', { get: throwing }),
    { name: 'TypeError', type: TypeError },
  ],
  [
    'an enumerable name that throws',
    () => define(new TypeError('m'), 'name', { get: throwing, enumerable: true }),
    { name: 'TypeError', type: TypeError },
  ],
  [
    'a name that is a symbol',
    () => define(new RangeError('m'), 'name', { value: Symbol('s'), enumerable: true }),
    { name: 'RangeError', type: RangeError },
  ],
  [
    'a stack that throws',
    () => define(new URIError('m'), 'stack', { get: throwing }),
    { name: 'URIError', type: URIError, stack: '' },
  ],
  [
    'a cause that throws',
    () => define(new TypeError('m'), 'cause', { get: throwing }),
    { name: 'TypeError', type: TypeError },
  ],
  [
    'a cause that is a revoked proxy',
    () => new TypeError('m', { cause: revoked() }),
    { name: 'TypeError', type: TypeError, cause: expect.stringContaining('not cloneable') },
  ],
  [
    'a property that throws',
    () => define(new TypeError('m'), 'bad', { get: throwing, enumerable: true }),
    { name: 'TypeError', bad: undefined },
  ],
  [
    'a property that holds a getter that throws',
    () =>
      Object.assign(new TypeError('m'), {
        bad: {
          get x() {
            return throwing();
          },
        },
      }),
    { bad: expect.stringContaining('not cloneable') },
  ],
  [
    'a property named __proto__',
    () => define(new TypeError('m'), '__proto__', { value: { polluted: true }, enumerable: true }),
    { type: TypeError },
  ],
  ['a proxy of an error', () => new Proxy(new TypeError('m'), {}), { name: 'TypeError', type: TypeError }],
  [
    'a proxy whose keys throw',
    () => new Proxy(new TypeError('m'), { ownKeys: throwing, getOwnPropertyDescriptor: throwing }),
    { name: 'TypeError', type: TypeError },
  ],
];

test.each(UNREADABLE)('an error with %s keeps its message and class', (_, error, { type = Error, ...expected }) => {
  const seen = sent(error());
  expect(seen).toBeInstanceOf(type);
  expect(seen).toMatchObject({ message: 'm', ...expected });
});

test('an error whose message throws keeps its class and its other properties', () => {
  const seen = sent(define(Object.assign(new TypeError('m'), { code: 5 }), 'message', { get: throwing }));
  expect(seen).toBeInstanceOf(TypeError);
  expect(seen).toMatchObject({ message: '', code: 5 });
});

test.each([
  ['a revoked proxy', revoked],
  ['a proxy whose prototype throws', () => new Proxy(new Error('m'), { getPrototypeOf: throwing })],
  [
    'an object with a getter that throws',
    () => ({
      get x() {
        return throwing();
      },
    }),
  ],
  ['an object whose conversion to text throws', () => ({ call: throwing, toString: throwing })],
])('%s arrives as text when it is thrown', (_, thrown) => expect(sent(thrown())).toContain('not cloneable'));

test('a property that is called __proto__ changes no prototype', () => {
  const seen = sent(define(new TypeError('m'), '__proto__', { value: { polluted: true }, enumerable: true })) as object;
  expect('polluted' in seen).toBe(false);
  expect(Object.getOwnPropertyDescriptor(seen, '__proto__')?.value).toEqual({ polluted: true });
});

test('a getter that returns new causes without end is followed up to a limit', () => {
  class Endless extends Error {
    override get cause(): Endless {
      return new Endless('again');
    }
  }
  let [depth, last] = [0, sent(new Endless('first'))];
  for (; last instanceof Error; last = last.cause) depth += 1;
  expect(depth).toBe(10_000);
  expect(last).toContain('and so on');
});

test('a getter that returns new objects without end arrives as text', () => {
  const endless = (): object => ({
    get next() {
      return endless();
    },
    get other() {
      return endless();
    },
  });
  expect(sent(Object.assign(new Error('m'), { bad: endless(), good: [1] }))).toMatchObject({
    message: 'm',
    bad: expect.stringContaining('not cloneable') as string,
    good: [1],
  });
});

test('a value that cannot be copied does not affect values that share parts with it', () => {
  const part = { deep: { list: [1, 2] } };
  const bad = {
    part,
    get x() {
      return throwing();
    },
  };
  expect(sent(Object.assign(new Error('m'), { bad, good: { part } }))).toMatchObject({
    good: { part: { deep: { list: [1, 2] } } },
  });
});
