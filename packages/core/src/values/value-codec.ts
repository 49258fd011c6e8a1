// Conversion between values and bytes, for primitives that keep values in shared memory.

import { checkObject, show } from '../api/check.ts';
import { isUint8Array } from '../platform/realm.ts';
import { decodeText, encodeText } from '../platform/utf8.ts';

/**
 * Turns values into bytes and back. Every thread supplies a codec with the same name. A codec of a `BoundedBuffer`
 * fits, too.
 */
export interface ValueCodec<T> {
  /** The codec's name: a primitive created with one codec cannot be opened with another. */
  readonly name: string;
  encode(value: T): Uint8Array;
  /** `bytes` is a private copy. */
  decode(bytes: Uint8Array): T;
}

type NumberCodec = 'int32' | 'float64';
export type CodecName = 'json' | 'bytes' | NumberCodec;

/** The refusal of a value. `packedFor` turns it into an error of the class `Kind`, which also names the primitive. */
export class RefusedValue extends Error {
  readonly Kind: TypeErrorConstructor | RangeErrorConstructor;

  constructor(Kind: TypeErrorConstructor | RangeErrorConstructor, why: string) {
    super(why);
    this.Kind = Kind;
  }
}

/** Checks a number. Throws `RefusedValue`. */
export function checkNumber(name: NumberCodec, value: unknown): number {
  if (typeof value !== 'number') throw new RefusedValue(TypeError, `a value must be a number, received ${show(value)}`);
  if (name === 'int32' && (value | 0) !== value)
    throw new RefusedValue(RangeError, `a value must be a whole number from -2^31 to 2^31 - 1, received ${value}`);
  return value;
}

function numbers(
  name: NumberCodec,
  size: number,
  write: (view: DataView, value: number) => void,
  read: (view: DataView) => number,
): ValueCodec<unknown> {
  return {
    name,
    encode: (value) => {
      const number = checkNumber(name, value);
      const bytes = new Uint8Array(size);
      write(new DataView(bytes.buffer), number);
      return bytes;
    },
    decode: ({ buffer, byteOffset }) => read(new DataView(buffer, byteOffset, size)),
  };
}

const OURS: Readonly<Record<CodecName, ValueCodec<unknown>>> = {
  json: {
    name: 'json',
    encode: (value) => {
      const text = JSON.stringify(value) as string | undefined;
      if (text === undefined)
        throw new RefusedValue(TypeError, `the value cannot be represented in JSON, received ${show(value)}`);
      return encodeText(text);
    },
    decode: (bytes) => JSON.parse(decodeText(bytes)) as unknown,
  },
  bytes: {
    name: 'bytes',
    encode: (value) => {
      if (isUint8Array(value)) return value;
      throw new RefusedValue(TypeError, `a value must be a Uint8Array, received ${show(value)}`);
    },
    decode: (bytes) => bytes,
  },
  int32: numbers(
    'int32',
    4,
    (view, value) => view.setInt32(0, value),
    (view) => view.getInt32(0),
  ),
  float64: numbers(
    'float64',
    8,
    (view, value) => view.setFloat64(0, value),
    (view) => view.getFloat64(0),
  ),
};

/** Returns the number of bytes of a value, if it is the same for all values. */
export function fixedBytes(name: string): number | undefined {
  return name === 'int32' ? 4 : name === 'float64' ? 8 : undefined;
}

export function isBuiltInCodec(name: string): name is CodecName {
  return Object.hasOwn(OURS, name);
}

/** Returns the codec with the name `codec`, or `codec` itself. Throws `TypeError`. */
export function codecOf(codec: unknown = 'json'): ValueCodec<unknown> {
  if (typeof codec === 'string') {
    if (isBuiltInCodec(codec)) return OURS[codec];
    throw new TypeError(`The codec must be 'json', 'bytes', 'int32', 'float64' or an object: received ${show(codec)}`);
  }
  checkObject(codec);
  const { name, encode, decode } = codec as Partial<ValueCodec<unknown>>;
  if (typeof name !== 'string' || name === '' || typeof encode !== 'function' || typeof decode !== 'function') {
    throw new TypeError(`A codec must have a name, encode and decode: received ${show(codec)}`);
  }
  if (isBuiltInCodec(name))
    throw new TypeError(`The codec's name must not be that of a built-in codec: received ${show(name)}`);
  return codec as ValueCodec<unknown>;
}

// Read the view's own properties: a subclass may have a `length` and a `buffer` of its own.
const [LENGTH, BUFFER] = (['length', 'buffer'] as const).map((name) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name),
);

/** Returns the number of bytes that `set` would copy. */
export function lengthOf(bytes: Uint8Array): number {
  return LENGTH?.get?.call(bytes) as number;
}

/** Whether another thread may resize the buffer between the check of the length and the copy. */
function isResizable(bytes: Uint8Array): boolean {
  const { resizable = false, growable = false } = BUFFER?.get?.call(bytes) as {
    readonly resizable?: boolean;
    readonly growable?: boolean;
  };
  return resizable || growable;
}

/** Returns the bytes to write for `value`. Throws `RefusedValue`, and errors of the codec. */
export function packedBy(codec: ValueCodec<unknown>, most: number, value: unknown): Uint8Array {
  const encoded = codec.encode(value);
  if (!isUint8Array(encoded))
    throw new RefusedValue(TypeError, `the codec ${codec.name} must encode to a Uint8Array, received ${show(encoded)}`);
  // The bytes of JSON are never resizable. Asking for their buffer would allocate one.
  const bytes = codec.name !== 'json' && isResizable(encoded) ? new Uint8Array(encoded) : encoded;
  const length = lengthOf(bytes);
  if (length > most)
    throw new RefusedValue(RangeError, `a value may have at most ${most} bytes, received one of ${length}`);
  return bytes;
}

/** Returns the result of `pack`. A refusal becomes an error that names the primitive. */
export function packedFor<Packed>(primitive: { toString(): string }, pack: () => Packed): Packed {
  try {
    return pack();
  } catch (failure) {
    throw failure instanceof RefusedValue
      ? new failure.Kind(`${String(primitive)}: ${failure.message}. Nothing was changed.`)
      : failure;
  }
}
