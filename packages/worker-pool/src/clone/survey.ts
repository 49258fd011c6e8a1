// Inspects a value that is to be sent, in one walk that calls none of the user's code.

import { types } from 'node:util';
import { isMemory, isSharedBuffer } from '@sluice/core/calls';
import { kernelIdOf } from '@sluice/core/internal';
import { isOrdinary, isRoot } from './ordinary.ts';
import { extentOf, isPooled } from './node-pool.ts';
import type { SharedMemories } from './shared-memories.ts';

export interface Survey {
  /**
   * The value contains something that only a message can carry: the program's own shared memory, a Blob, a port, a
   * function.
   */
  isExotic: boolean;
  /** The value has a getter, whose result is not known yet. */
  hasAccessor: boolean;
  /** Views of memory that Node.js shares among Buffers. */
  readonly pooled: ArrayBufferView[];
  /** Objects that both ends have: memories of arenas, their buffers, views of these, and compiled kernels. */
  readonly shared: object[];
  /** A lower bound of the encoded length, in bytes. */
  leastBytes: number;
}

const PLAIN = 1;
const ARRAY = 2;
const ARRAY_BUFFER = 3;
/** A class of the language with objects that a clone does not read by their properties. */
const OTHER = 4;

/**
 * By prototype. This is only a guess, because an object may have the prototype of another class, and a clone ignores
 * the prototype.
 */
const KINDS = new Map<object | null, number>([
  [Object.prototype, PLAIN],
  [null, PLAIN],
  [Array.prototype, ARRAY],
  [ArrayBuffer.prototype, ARRAY_BUFFER],
  ...[Map, Set].map(({ prototype }) => [prototype, OTHER] as const),
  ...[Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError].map(
    ({ prototype }) => [prototype, OTHER] as const,
  ),
  ...[Date, RegExp, Number, String, Boolean, BigInt].map(({ prototype }) => [prototype, OTHER] as const),
]);

/** Inspects a value. Never throws, except what a Proxy throws. A Proxy cannot be cloned. */
export function survey(value: unknown, memories: SharedMemories): Survey {
  const found: Survey = { isExotic: false, hasAccessor: false, pooled: [], shared: [], leastBytes: 0 };
  const seen = new Set<object>();
  // An explicit list of work: recursion would overflow the stack on deep values.
  const left: unknown[] = [];
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
    if (ArrayBuffer.isView(next)) {
      takeView(next, found, memories);
      continue;
    }
    switch (KINDS.get(prototype) ?? (isRoot(prototype) ? PLAIN : undefined)) {
      case PLAIN:
        if (!hasInside(next) || !takeInside(next, take)) takeProperties(next, found, take);
        break;
      case ARRAY:
        if (Array.isArray(next)) for (const element of Object.values(next)) take(element);
        else takeAny(next, found, take);
        break;
      case ARRAY_BUFFER:
        if (types.isArrayBuffer(next)) found.leastBytes += next.byteLength;
        else takeAny(next, found, take);
        break;
      case OTHER:
        takeAny(next, found, take);
        break;
      default:
        takeOther(next, prototype, found, memories, take);
    }
  }
  // If the value contains the pooled ArrayBuffer itself, a view of it stays a view of it.
  if (found.pooled.length > 0)
    found.pooled.splice(0, Infinity, ...found.pooled.filter((view) => !seen.has(extentOf(view).buffer)));
  return found;
}

/** Whether a clone of an object with a plain object's prototype has more than the object's properties. */
function hasInside(value: object): boolean {
  return types.isMap(value) || types.isSet(value) || types.isNativeError(value);
}

/** Passes the contents or the properties of an object to `take`, including properties that a clone leaves out. */
function takeAny(value: object, found: Survey, take: (value: unknown) => void): void {
  if (!takeInside(value, take)) takeProperties(value, found, take);
}

function takeProperties(value: object, found: Survey, take: (value: unknown) => void): void {
  const keys = Object.keys(value);
  for (let n = 0; n < keys.length; n++) {
    const property = Object.getOwnPropertyDescriptor(value, keys[n] as string);
    if (property?.get !== undefined) found.hasAccessor = true;
    take(property?.value);
  }
}

function takeOther(
  value: object,
  prototype: object | null,
  found: Survey,
  memories: SharedMemories,
  take: (value: unknown) => void,
): void {
  const number = numberIn(value, memories);
  if (number >= 0 || kernelIdOf(value) !== undefined) found.shared.push(value);
  else if (takeInside(value, take)) found.isExotic = true;
  else if (isSharedBuffer(value) || !isOrdinary(value, prototype as object)) found.isExotic = true;
  else takeProperties(value, found, take);
}

/**
 * Passes the contents of an array, a Map, a Set or an error, of any subclass, to `take`. Returns whether the value is
 * one of these.
 */
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
  const extent = extentOf(view);
  const { buffer, byteLength } = extent;
  if (isSharedBuffer(buffer)) {
    if (memories.numberOfBuffer(buffer) < 0) found.isExotic = true;
    else found.shared.push(view);
  } else if (isPooled(extent)) {
    found.pooled.push(view);
    found.leastBytes += byteLength;
  } else {
    found.leastBytes += buffer.byteLength;
  }
}

function numberIn(value: object, memories: SharedMemories): number {
  if (isSharedBuffer(value)) return memories.numberOfBuffer(value);
  return isMemory(value) ? memories.numberOf(value as WebAssembly.Memory) : -1;
}
