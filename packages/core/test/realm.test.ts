// Tests values of other realms, such as those of a test runner's sandbox.

import { describe, expect, test } from 'vitest';
import { hasCode, HandleError, Semaphore } from '../src/index.ts';
import { asCorrupt } from '../src/memory/corrupt.ts';
import { kernelIdOf, kernelModules } from '../src/kernel/kernel.ts';
import {
  asError,
  errorsOf,
  isArrayBuffer,
  isError,
  isMemory,
  isModule,
  isSharedBuffer,
  isUint8Array,
  messageOf,
  typedArrayName,
} from '../src/platform/realm.ts';
import { clonedThere, there } from './support/other-realm.ts';

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** Values that every check refuses. Some throw when a property is read. */
const NOTHING_LIKE_IT: readonly unknown[] = [
  ...[undefined, null, 0, '', 1n, Symbol('s'), () => 0, {}, [], new Map(), revoked(), Object.create(null) as unknown],
  ...[Uint8Array.prototype, ArrayBuffer.prototype, SharedArrayBuffer.prototype, WebAssembly.Memory.prototype].map(
    (prototype) => Object.create(prototype) as unknown,
  ),
  ...['Error', 'ArrayBuffer', 'SharedArrayBuffer', 'WebAssembly.Memory', 'WebAssembly.Module', 'Uint8Array'].map(
    (tag) => ({
      get [Symbol.toStringTag]() {
        return tag === 'Error' ? 'Errors' : tag;
      },
    }),
  ),
  {
    get [Symbol.toStringTag]() {
      throw new Error('no tag');
    },
  },
];

interface Check {
  readonly name: string;
  readonly is: (value: unknown) => boolean;
  readonly those: readonly string[];
}

const CHECKS: readonly Check[] = [
  { name: 'isUint8Array', is: isUint8Array, those: ['new Uint8Array(2)', 'new (class Own extends Uint8Array {})(2)'] },
  { name: 'isArrayBuffer', is: isArrayBuffer, those: ['new ArrayBuffer(2)'] },
  { name: 'isSharedBuffer', is: isSharedBuffer, those: ['new SharedArrayBuffer(2)'] },
  { name: 'isMemory', is: isMemory, those: ['new WebAssembly.Memory({ initial: 1 })'] },
  { name: 'isModule', is: isModule, those: ['new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))'] },
  {
    name: 'isError',
    is: isError,
    those: [
      'new Error("e")',
      'new TypeError("e")',
      'new (class Own extends RangeError {})("e")',
      'new AggregateError([])',
    ],
  },
];

describe.each(CHECKS)('$name', ({ is, those }) => {
  test.each(those)('the check accepts %s of another realm and of this one', (expression) => {
    expect([is(there(expression)), is((0, eval)(expression))]).toEqual([true, true]);
  });

  test('the check refuses the values of the other checks, and throws for no value', () => {
    const others = CHECKS.filter((check) => check.is !== is).flatMap((check) => check.those.map(there));
    for (const value of [...others, ...NOTHING_LIKE_IT]) expect(is(value)).toBe(false);
  });
});

test('typedArrayName() returns the name of the built-in class, even for a subclass', () => {
  expect(
    [
      there('new Int32Array(1)'),
      there('new (class Own extends Float64Array {})(1)'),
      there('new DataView(new ArrayBuffer(8))'),
      [],
      'x',
    ].map(typedArrayName),
  ).toEqual(['Int32Array', 'Float64Array', undefined, undefined, undefined]);
});

test('isError() accepts a DOMException and a proxy of an error', () => {
  expect([new DOMException('x'), new Proxy(new Error('x'), {})].map(isError)).toEqual([true, true]);
});

test('an object that claims to be an error counts as one, even if its message is missing or throws', () => {
  const forged = [
    { [Symbol.toStringTag]: 'Error' },
    Object.create(Error.prototype) as unknown,
    {
      [Symbol.toStringTag]: 'Error',
      get message() {
        throw new Error('no message');
      },
    },
  ];
  expect(forged.map(isError)).toEqual([true, true, true]);
  expect(forged.map(messageOf)).toEqual(['undefined', '', '']);
  expect(forged.map(asError)).toEqual(forged);
});

test('errorsOf() returns the errors of an AggregateError, and ignores a property that a program added', () => {
  expect(errorsOf(there('new AggregateError([1, 2])') as Error)).toEqual([1, 2]);
  expect(errorsOf(Object.assign(new Error('x'), { errors: [1] }))).toBe(undefined);
  expect(errorsOf(Object.defineProperty(new AggregateError([]), 'errors', { value: 7 }))).toBe(undefined);
});

test('asError() returns an error of another realm unchanged, and makes an error of any other value', () => {
  const error = there('new TypeError("theirs")');
  expect([asError(error), messageOf(error), messageOf('text'), messageOf(revoked())]).toEqual([
    error,
    'theirs',
    'text',
    'a thrown value of type object',
  ]);
  expect(asError('text')).toBeInstanceOf(Error);
  expect(messageOf(Object.assign(new Error('x'), { message: Object.create(null) as unknown }))).toBe(
    'a thrown value of type object',
  );
});

test('hasCode() recognizes an error of another realm, and throws for no value', () => {
  expect(hasCode(there('Object.assign(new Error("x"), { code: "SLUICE_CLOSED" })'), 'SLUICE_CLOSED')).toBe(true);
  expect(hasCode(there('({ code: "SLUICE_CLOSED" })'), 'SLUICE_CLOSED')).toBe(false);
  for (const value of NOTHING_LIKE_IT) expect(hasCode(value, 'SLUICE_CLOSED')).toBe(false);
  expect(hasCode(there('Object.defineProperty(new Error("x"), "code", { get() { throw 1; } })'), 'SLUICE_CLOSED')).toBe(
    false,
  );
});

test('a trap of another realm becomes a CorruptArenaError', () => {
  expect(asCorrupt(there('new WebAssembly.RuntimeError("unreachable")'))).toMatchObject({
    code: 'SLUICE_CORRUPT_ARENA',
  });
});

test('from() opens a handle that was cloned into another realm, with its compiled kernel', () => {
  const made = Semaphore.create(3);
  const handle = clonedThere(made.handle) as typeof made.handle;
  expect(Semaphore.from(handle).available).toBe(3);
  expect(kernelIdOf(Object.values(handle.modules ?? {})[0])).toBe(Object.keys(kernelModules() ?? {})[0]);
});

test('from() of a handle with another realm’s memory throws a HandleError if the memory is not shared or not a memory', () => {
  const { handle } = Semaphore.create(1);
  for (const memory of [
    'new WebAssembly.Memory({ initial: 1 })',
    '({ buffer: new SharedArrayBuffer(65536), grow: () => 1 })',
    'new SharedArrayBuffer(9)',
  ]) {
    expect(() => Semaphore.from({ ...handle, memory: there(memory) as typeof handle.memory })).toThrow(HandleError);
  }
});
