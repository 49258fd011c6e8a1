// @ts-check
// Values of every cloneable type, and a description of a value that shows everything that a clone keeps or loses.
import { createSecretKey } from 'node:crypto';
import { types } from 'node:util';

class Point {
  constructor() {
    this.x = 1;
    this.bytes = new Uint8Array([1, 2]);
  }

  get length() {
    return Math.hypot(this.x);
  }
}

/** @param {number} length */
function bytesTo(length) {
  return Uint8Array.from({ length }, (_, n) => n).buffer;
}

/** @template T @param {T} value @returns {T} */
const same = (value) => value;

function circular() {
  /** @type {Record<string, unknown>} */
  const value = { list: [1] };
  value['self'] = value;
  value['map'] = new Map([[value, value]]);
  return value;
}

function sharedReferences() {
  const inner = { n: 1 };
  return { a: inner, b: [inner, inner], set: new Set([inner]), other: { n: 1 } };
}

function sparse() {
  return Object.assign(new Array(7), { 0: 1, 2: undefined, 3: 4, name: 'beside' });
}

function besideAGetter() {
  const given = [new Map([[1, 2]]), new Set([3]), new Error('it'), new Date(5)].map((value) =>
    Object.setPrototypeOf(value, Object.prototype),
  );
  return [
    ...given,
    Object.setPrototypeOf(new Map([[4, 5]]), null),
    {
      get a() {
        return given;
      },
    },
  ];
}

/**
 * Objects of built-in classes with the prototype of another class, and with own properties. A clone depends on the
 * internal class, not on the prototype.
 */
const PROTOTYPES = [
  Object.prototype,
  null,
  Array.prototype,
  Map.prototype,
  Error.prototype,
  ArrayBuffer.prototype,
  Date.prototype,
];

/** @param {object} value @param {object | null} prototype @returns {object} */
function given(value, prototype) {
  return Object.setPrototypeOf(Object.assign(value, { own: { n: 1 } }), prototype);
}

function viewsOfOtherPrototypes() {
  const buffer = bytesTo(16);
  return [
    PROTOTYPES.map((prototype) => Object.setPrototypeOf(new Uint8Array(buffer, 2, 3), prototype)),
    given(new DataView(buffer, 4), Object.prototype),
    buffer,
  ];
}

function buffersOfOtherPrototypes() {
  return PROTOTYPES.map((prototype) => {
    const buffer = bytesTo(16);
    return [given(buffer, prototype), new Uint8Array(buffer, 3, 2)];
  });
}

function keyedOfOtherPrototypes() {
  const inner = { n: 2 };
  return PROTOTYPES.map((prototype) => [
    given(new Map([[inner, [inner]]]), prototype),
    given(new Set([inner, 3]), prototype),
  ]);
}

function othersOfOtherPrototypes() {
  return [Object.prototype, null].map((prototype) =>
    [new Date(5), /a/g, Object(1), Object('b'), new Error('it')].map((value) => given(value, prototype)),
  );
}

/** @param {() => unknown} make */
function besideGetter(make) {
  return () => ({
    value: make(),
    get computed() {
      return new Uint8Array([6]);
    },
  });
}

function viewsThatShare() {
  const buffer = bytesTo(64);
  const words = new Uint32Array(buffer, 8, 4);
  return { words, bytes: new Uint8Array(buffer, 10, 3), view: new DataView(buffer, 12), again: words };
}

function viewAndBuffer() {
  const buffer = bytesTo(32);
  return [buffer, new Float64Array(buffer, 8, 1)];
}

function overShared() {
  const shared = new SharedArrayBuffer(32);
  new Uint8Array(shared).fill(3);
  return { view: new Int32Array(shared, 8, 2), bytes: new Uint8Array(shared), shared };
}

function withCause() {
  return Object.assign(new RangeError('outer', { cause: new TypeError('inner') }), { code: 'E_X' });
}

function lengthTracking() {
  const buffer = Reflect.construct(ArrayBuffer, [16, { maxByteLength: 64 }]);
  return {
    buffer,
    tracking: new Uint8Array(buffer, 4),
    fixed: new Uint16Array(buffer, 2, 3),
    view: new DataView(buffer, 8),
  };
}

function growable() {
  return Reflect.construct(SharedArrayBuffer, [16, { maxByteLength: 64 }]);
}

function sliceOfAnOwnBuffer() {
  return Buffer.from(bytesTo(100), 20, 30);
}

/** @type {(new (buffer: ArrayBufferLike, byteOffset?: number, length?: number) => ArrayBufferView)[]} */
const VIEWS = [
  ...[Uint8Array, Int8Array, Uint8ClampedArray, Uint16Array, Int16Array, Uint32Array, Int32Array],
  ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView],
];
/** @type {unknown} */
const half = Reflect.get(globalThis, 'Float16Array');
if (typeof half === 'function') VIEWS.push(/** @type {typeof Uint8Array} */ (half));

/** @type {Record<string, () => unknown>} */
export const CLONEABLES = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  'a number': () => 1.5,
  'minus zero': () => -0,
  'not a number': () => NaN,
  infinity: () => -Infinity,
  'an empty text': () => '',
  'a text': () => 'grüße 👋 \u{feff}',
  'half a surrogate': () => 'a\ud800b',
  'a bigint': () => -(2n ** 80n),
  'names with a meaning of their own': () =>
    JSON.parse('{"a":1,"__proto__":{"x":1},"constructor":{"prototype":2},"toString":3,"":4}'),
  'an object': () => ({ a: [1, { b: null, c: undefined }], 'd e': -0, f: NaN, 5: 'five' }),
  'an object with __proto__': () => JSON.parse('{"__proto__": {"a": 1}, "b": 2}'),
  'an object without a prototype': () => Object.assign(Object.create(null), { a: 1 }),
  'an object with a getter': () => ({
    get a() {
      return new Uint8Array([5]);
    },
  }),
  'an object of a class': () => new Point(),
  'objects of a class': () => [new Point(), { inner: new Point() }],
  'a Map that was given the prototype of an object': () =>
    Object.setPrototypeOf(new Map([[1, { a: 1 }]]), Object.prototype),
  'such a Map, a Set, an Error and a Date beside a getter': besideAGetter,
  'an object that was given the prototype of a Map, of an Error, of a Date': () =>
    [Map, Error, Date].map((Class) => Object.assign(Object.create(Class.prototype), { a: [1] })),
  'an object of a class beside a getter': () => [
    new Point(),
    {
      get a() {
        return new Point();
      },
    },
  ],
  'a sparse array': sparse,
  'an array without elements': () => new Array(5),
  'a long sparse array': () => Object.assign([], { length: 2 ** 31, 1000: 'far' }),
  'nested arrays': () => [[], [[]], [1, [2, [3]]]],
  'boxed primitives': () => [Object(1), Object(-0), Object('text'), Object(false), Object(5n)],
  dates: () => [new Date(5), new Date(NaN)],
  'regular expressions': () => [/a(b)/dgimsuy, new RegExp('x', 'v'), Object.assign(/y/g, { lastIndex: 3 })],
  'what a regular expression found': () => /(?<b>b)/.exec('abc'),
  maps: () =>
    new Map(
      /** @type {[unknown, unknown][]} */ ([
        [1, new Set(['a'])],
        [{ k: 1 }, new Map()],
        [NaN, undefined],
      ]),
    ),
  sets: () => new Set([1, 'a', [1], undefined]),
  circular,
  'shared references': sharedReferences,
  errors: () =>
    [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError].map((Class) => new Class('of it')),
  'an error with a cause': withCause,
  'an error of errors': () => new AggregateError([new TypeError('one')], 'many'),
  'an ArrayBuffer': () => bytesTo(9),
  'an empty ArrayBuffer': () => new ArrayBuffer(0),
  'an ArrayBuffer twice': () => [same, same].map((_, __, all) => all).map(() => bytesTo(3)),
  'a resizable ArrayBuffer': lengthTracking,
  ...Object.fromEntries(VIEWS.map((View) => [`a whole ${View.name}`, () => new View(bytesTo(64))])),
  ...Object.fromEntries(VIEWS.map((View) => [`a part, ${View.name}`, () => new View(bytesTo(64), 16, 2)])),
  ...Object.fromEntries(
    VIEWS.map((View) => [`of shared memory, ${View.name}`, () => new View(new SharedArrayBuffer(64), 16, 2)]),
  ),
  'views that share a buffer': viewsThatShare,
  'a view and its buffer': viewAndBuffer,
  'a Buffer of its own memory': sliceOfAnOwnBuffer,
  'a SharedArrayBuffer': () => new SharedArrayBuffer(8),
  'views of a SharedArrayBuffer': overShared,
  'a growable SharedArrayBuffer': growable,
  'a Blob': () => new Blob(['text'], { type: 'text/plain' }),
  'a Blob in an object': () => ({ deep: [{ blob: new Blob(['text']) }] }),
  'a KeyObject': () => createSecretKey(Buffer.from('secret')),
  'views of other prototypes': viewsOfOtherPrototypes,
  'views of other prototypes beside a getter': besideGetter(viewsOfOtherPrototypes),
  'ArrayBuffers of other prototypes': buffersOfOtherPrototypes,
  'ArrayBuffers of other prototypes beside a getter': besideGetter(buffersOfOtherPrototypes),
  'Maps and Sets of other prototypes': keyedOfOtherPrototypes,
  'Maps and Sets of other prototypes beside a getter': besideGetter(keyedOfOtherPrototypes),
  'dates and the like of other prototypes': othersOfOtherPrototypes,
  'dates and the like of other prototypes beside a getter': besideGetter(othersOfOtherPrototypes),
  'a WebAssembly.Module': () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
  'a WebAssembly.Memory that is shared': () => new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true }),
};

/**
 * Returns one line for each part of the value. Two values have the same lines if they agree in everything that a clone
 * keeps.
 * @param {unknown} value
 */
export function describe(value) {
  /** @type {Map<object, number>} */
  const numbers = new Map();
  /** @type {string[]} */
  const lines = [];
  /** @param {string} path @param {unknown} part */
  const go = (path, part) => {
    if (typeof part !== 'object' || part === null) {
      lines.push(
        `${path}: ${typeof part} ${Object.is(part, -0) ? '-0' : typeof part === 'string' ? JSON.stringify(part) : String(part)}`,
      );
      return;
    }
    const known = numbers.get(part);
    if (known !== undefined) {
      lines.push(`${path}: again ${known}`);
      return;
    }
    numbers.set(part, numbers.size);
    lines.push(`${path}: ${numbers.size - 1} ${Object.prototype.toString.call(part)} ${nameOf(part)}${insideOf(part)}`);
    if (ArrayBuffer.isView(part)) go(`${path}.buffer`, part.buffer);
    if (part instanceof WebAssembly.Memory) go(`${path}.buffer`, part.buffer);
    if (part instanceof Map) {
      let n = 0;
      for (const [key, mapped] of part) {
        go(`${path}.key${n}`, key);
        go(`${path}.value${n++}`, mapped);
      }
    }
    if (part instanceof Set) [...part].forEach((member, n) => go(`${path}.member${n}`, member));
    if (part instanceof Error)
      for (const key of ['message', 'cause', 'errors'])
        if (Object.hasOwn(part, key)) go(`${path}.${key}`, Reflect.get(part, key));
    if (ArrayBuffer.isView(part) || types.isAnyArrayBuffer(part)) return;
    for (const key of Object.keys(part)) go(`${path}[${key}]`, Reflect.get(part, key));
  };
  go('it', value);
  return lines;
}

/** @param {object} part */
function nameOf(part) {
  const prototype = /** @type {{ constructor: Function } | null} */ (Object.getPrototypeOf(part));
  return prototype === null ? 'null' : prototype.constructor.name;
}

/** Returns the state that the properties do not show. @param {object} part */
function insideOf(part) {
  if (Array.isArray(part)) return ` length ${part.length}`;
  if (ArrayBuffer.isView(part)) return ` at ${part.byteOffset}, ${part.byteLength} bytes`;
  if (types.isAnyArrayBuffer(part)) {
    const { resizable, growable, maxByteLength } = /** @type {any} */ (part);
    return ` ${part.byteLength} ${resizable} ${growable} ${maxByteLength} ${new Uint8Array(part).join()}`;
  }
  if (types.isDate(part)) return ` ${part.getTime()}`;
  if (types.isRegExp(part)) return ` ${String(part)} ${part.lastIndex}`;
  if (types.isBoxedPrimitive(part))
    return ` ${typeof part.valueOf()} ${Object.is(part.valueOf(), -0) ? '-0' : String(part.valueOf())}`;
  if (part instanceof Blob) return ` ${part.size} ${part.type}`;
  if (types.isKeyObject(part)) return ` ${/** @type {import('node:crypto').KeyObject} */ (part).export().toString()}`;
  return '';
}

/** Returns the description of the task as it arrived. @param {unknown} value */
export default describe;

/** Returns only the value. @param {{ value: unknown }} task */
export const describeValue = ({ value }) => describe(value);

/** @param {string} name */
export const make = (name) => CLONEABLES[name]?.();

/** @param {{ name: string, padding: unknown }} task */
export const makeBeside = ({ name, padding }) => ({
  value: CLONEABLES[name]?.(),
  padding: padding ?? new SharedArrayBuffer(4),
});

/** @param {string} name */
export function fail(name) {
  throw CLONEABLES[name]?.();
}

/** @param {string} name */
export function failWith(name) {
  throw Object.assign(new Error('with it'), { value: { of: CLONEABLES[name]?.() } });
}

/** Writes to the view and checks for a write of the test. @param {{ view: Int32Array }} task */
export function writeInto({ view }) {
  view[0] = (view[0] ?? 0) + 1;
  return view;
}
