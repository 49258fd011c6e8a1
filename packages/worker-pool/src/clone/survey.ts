// What a value to be sent contains, found by one walk over it that calls none of the user's code.

import { types } from 'node:util';
import { kernelIdOf } from '@sluice/core/internal';
import { isOrdinary } from './ordinary.ts';
import { isPooled } from './node-pool.ts';
import type { SharedMemories } from './shared.ts';

export interface Survey {
  /** Something in it can only be sent as a message: the program's own shared memory, a Blob, a port, a function. */
  isExotic: boolean;
  /** It has a computed property, whose value is not known yet. */
  hasAccessor: boolean;
  /** Views of memory that Node.js shares among Buffers. */
  readonly pooled: ArrayBufferView[];
  /** What both ends have: memories of arenas, their buffers, views of these, and compiled kernels. */
  readonly shared: object[];
  /** A lower bound of the length of its bytes. */
  leastBytes: number;
}

const PLAIN = 1;
const ARRAY = 2;
const ARRAY_BUFFER = 3;
/** Has contents that are not properties. */
const INSIDE = 4;
/** Its properties are not cloned, unless the object only was given the prototype. */
const LEAF = 5;

const KINDS = new Map<object | null, number>([
  [Object.prototype, PLAIN],
  [null, PLAIN],
  [Array.prototype, ARRAY],
  [ArrayBuffer.prototype, ARRAY_BUFFER],
  ...[Map, Set].map(({ prototype }) => [prototype, INSIDE] as const),
  ...[Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError].map(({ prototype }) => [prototype, INSIDE] as const),
  ...[Date, RegExp, Number, String, Boolean, BigInt].map(({ prototype }) => [prototype, LEAF] as const),
]);

/** Never throws, except what a Proxy throws; a Proxy cannot be cloned. */
export function survey(value: unknown, memories: SharedMemories): Survey {
  const found: Survey = { isExotic: false, hasAccessor: false, pooled: [], shared: [], leastBytes: 0 };
  const seen = new Set<object>();
  // An explicit list of work: recursion would overflow the stack on deep values.
  const left: unknown[] = [];
  /** ArrayBuffers that are themselves part of the value. */
  const buffers = new Set<object>();
  const take = (next: unknown): void => {
    if (typeof next === 'object' && next !== null) {
      if (!seen.has(next)) {
        seen.add(next);
        left.push(next);
      }
    } else if (typeof next === 'string') found.leastBytes += next.length;
    else if (typeof next === 'function' || typeof next === 'symbol') found.isExotic = true;
  };
  take(value);
  for (let next = left.pop() as object | undefined; next !== undefined; next = left.pop() as object | undefined) {
    const prototype = Object.getPrototypeOf(next) as object | null;
    switch (KINDS.get(prototype)) {
      case PLAIN:
        // An object of another class may have been given this prototype. Such an object has no properties of its own.
        if (!takeProperties(next, found, take)) takeInside(next, take);
        break;
      case ARRAY:
        for (const element of Object.values(next)) take(element);
        break;
      case INSIDE:
        // Otherwise the object only was given the prototype.
        if (!takeInside(next, take)) takeProperties(next, found, take);
        break;
      case ARRAY_BUFFER:
        if (types.isArrayBuffer(next)) {
          buffers.add(next);
          found.leastBytes += next.byteLength;
        } else takeProperties(next, found, take);
        break;
      case LEAF:
        takeProperties(next, found, take);
        break;
      default:
        takeOther(next, prototype, found, memories, take);
    }
  }
  // If the value contains the whole ArrayBuffer, a view of it stays a view of it.
  if (buffers.size > 0) found.pooled.splice(0, Infinity, ...found.pooled.filter(({ buffer }) => !buffers.has(buffer)));
  return found;
}

/** Returns whether the object has any properties. */
function takeProperties(value: object, found: Survey, take: (value: unknown) => void): boolean {
  const keys = Object.keys(value);
  for (let n = 0; n < keys.length; n++) {
    const property = Object.getOwnPropertyDescriptor(value, keys[n] as string);
    if (property?.get !== undefined) found.hasAccessor = true;
    take(property?.value);
  }
  return keys.length > 0;
}

function takeOther(value: object, prototype: object | null, found: Survey, memories: SharedMemories, take: (value: unknown) => void): void {
  if (ArrayBuffer.isView(value)) {
    takeView(value, found, memories);
    return;
  }
  const number = numberIn(value, memories);
  if (number >= 0 || kernelIdOf(value) !== undefined) found.shared.push(value);
  else if (takeInside(value, take)) found.isExotic = true;
  else if (isShared(value) || !isOrdinary(value, prototype as object)) found.isExotic = true;
  else takeProperties(value, found, take);
}

/** Takes what a clone keeps of an object whose class extends one of the language's. Returns whether it is such an object. */
function takeInside(value: object, take: (value: unknown) => void): boolean {
  if (Array.isArray(value)) for (const element of Object.values(value)) take(element);
  else if (types.isMap(value)) {
    Map.prototype.forEach.call(value, (mapped, key) => {
      take(key);
      take(mapped);
    });
  } else if (types.isSet(value)) Set.prototype.forEach.call(value, take);
  else if (types.isNativeError(value)) take(Object.getOwnPropertyDescriptor(value, 'cause')?.value);
  else return false;
  return true;
}

function takeView(view: ArrayBufferView, found: Survey, memories: SharedMemories): void {
  if (isShared(view.buffer)) {
    if (memories.numberOfBuffer(view.buffer) < 0) found.isExotic = true;
    else found.shared.push(view);
  } else if (isPooled(view)) {
    found.pooled.push(view);
    found.leastBytes += view.byteLength;
  } else {
    found.leastBytes += view.buffer.byteLength;
  }
}

function isShared(value: object): value is SharedArrayBuffer {
  return value instanceof SharedArrayBuffer;
}

function numberIn(value: object, memories: SharedMemories): number {
  if (isShared(value)) return memories.numberOfBuffer(value);
  return typeof WebAssembly === 'object' && value instanceof WebAssembly.Memory ? memories.numberOf(value) : -1;
}
