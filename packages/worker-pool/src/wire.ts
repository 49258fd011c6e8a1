// What tasks and results look like on their way through a buffer: a few words, then the value.
//
//   task     slot · how the value is told · flags                                   then the value
//   result   slot · how the value is told · flags · began · ended (ms since 1970)   then the value

import { deserialize, serialize } from 'node:v8';

/** How a value is told. Short forms for what is most frequent: the general one takes some microseconds. */
const NOTHING = 0;
const NUMBER = 1;
const TEXT = 2;
const CLONE = 3;
/** Too long for the buffer, or only a message can carry it. */
const MESSAGE = 4;

/** Of a task: the value is [filename, name, value]. Of a result: the task failed, and the value is why. Or it was not begun. */
export const ELSEWHERE = 1;
export const FAILED = 1;
export const SKIPPED = 2;

const TASK_BYTES = 8;
const RESULT_BYTES = 24;
const BEGAN = 8;
const ENDED = 16;

export interface TaskHead {
  readonly slot: number;
  readonly flags: number;
  /** Whether the value comes as a message. */
  readonly isMessage: boolean;
}

export interface ResultHead {
  readonly slot: number;
  readonly flags: number;
  readonly began: number;
  readonly ended: number;
}

/** Throws what `serialize` throws for a value that cannot be cloned, or not by bytes alone. */
export function packTask(slot: number, flags: number, value: unknown): Uint8Array {
  return pack(TASK_BYTES, slot, flags, value);
}

/** Says that the value comes as a message. */
export function packTaskStub(slot: number, flags: number): Uint8Array {
  return head(new Uint8Array(TASK_BYTES), slot, MESSAGE, flags);
}

/** Throws as `packTask`. */
export function packResult({ slot, flags, began, ended }: ResultHead, value: unknown): Uint8Array {
  const bytes = pack(RESULT_BYTES, slot, flags, value);
  putDouble(bytes, BEGAN, began);
  putDouble(bytes, ENDED, ended);
  return bytes;
}

export function taskHeadOf(bytes: Uint8Array): TaskHead {
  return { slot: slotOf(bytes), flags: byteAt(bytes, 5), isMessage: byteAt(bytes, 4) === MESSAGE };
}

/** Throws what `deserialize` throws: the value may be nested deeper than this thread's stack can follow. */
export function taskValueOf(bytes: Uint8Array): unknown {
  return valueOf(byteAt(bytes, 4), bytes, TASK_BYTES);
}

export function resultHeadOf(bytes: Uint8Array): ResultHead {
  return { slot: slotOf(bytes), flags: byteAt(bytes, 5), began: doubleAt(bytes, BEGAN), ended: doubleAt(bytes, ENDED) };
}

/** Throws as `taskValueOf`. */
export function resultValueOf(bytes: Uint8Array): unknown {
  return valueOf(byteAt(bytes, 4), bytes, RESULT_BYTES);
}

export function slotOf(bytes: Uint8Array): number {
  return byteAt(bytes, 0) | (byteAt(bytes, 1) << 8) | (byteAt(bytes, 2) << 16) | (byteAt(bytes, 3) << 24);
}

function pack(header: number, slot: number, flags: number, value: unknown): Uint8Array {
  if (value === undefined) return head(new Uint8Array(header), slot, NOTHING, flags);
  if (typeof value === 'number') {
    const bytes = head(new Uint8Array(header + 8), slot, NUMBER, flags);
    putDouble(bytes, header, value);
    return bytes;
  }
  if (typeof value === 'string' && value.isWellFormed()) {
    const bytes = head(new Uint8Array(header + Buffer.byteLength(value)), slot, TEXT, flags);
    Buffer.from(bytes.buffer).write(value, header);
    return bytes;
  }
  const clone = serialize(value);
  const bytes = head(new Uint8Array(header + clone.length), slot, CLONE, flags);
  bytes.set(clone, header);
  return bytes;
}

function head(bytes: Uint8Array, slot: number, form: number, flags: number): Uint8Array {
  bytes[0] = slot;
  bytes[1] = slot >> 8;
  bytes[2] = slot >> 16;
  bytes[3] = slot >> 24;
  bytes[4] = form;
  bytes[5] = flags;
  return bytes;
}

function valueOf(form: number, bytes: Uint8Array, at: number): unknown {
  switch (form) {
    case NOTHING:
    case MESSAGE:
      return undefined;
    case NUMBER:
      return doubleAt(bytes, at);
    case TEXT:
      return Buffer.from(bytes.buffer, bytes.byteOffset + at, bytes.length - at).toString();
    default:
      return deserialize(bytes.subarray(at)) as unknown;
  }
}

// By hand: a DataView for each message costs more than all the rest of it.

const double = new Float64Array(1);
const bytesOfDouble = new Uint8Array(double.buffer);

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

function putDouble(bytes: Uint8Array, at: number, value: number): void {
  double[0] = value;
  for (let n = 0; n < 8; n++) bytes[at + n] = byteAt(bytesOfDouble, n);
}

function doubleAt(bytes: Uint8Array, at: number): number {
  for (let n = 0; n < 8; n++) bytesOfDouble[n] = byteAt(bytes, at + n);
  return double[0] ?? 0;
}
