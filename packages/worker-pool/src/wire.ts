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
export const MESSAGE = 4;

/** Of a task: the value is [filename, name, value]. Of a result: the task failed, and the value is why. Or it was not begun. */
export const ELSEWHERE = 1;
export const FAILED = 1;
export const SKIPPED = 2;

const TASK_BYTES = 8;
const RESULT_BYTES = 24;

export interface TaskMessage {
  readonly slot: number;
  readonly flags: number;
  /** `undefined`: it comes as a message. */
  readonly value: { readonly of: unknown } | undefined;
}

export interface ResultMessage extends TaskMessage {
  readonly began: number;
  readonly ended: number;
}

/** Throws what `serialize` throws for a value that cannot be cloned, or not by bytes alone. */
export function packTask(slot: number, flags: number, value: unknown): Uint8Array {
  return pack(TASK_BYTES, slot, flags, value);
}

/** Says that the value comes as a message. */
export function packTaskStub(slot: number, flags: number): Uint8Array {
  return stub(TASK_BYTES, slot, flags);
}

export function packResult(slot: number, flags: number, value: unknown, began: number, ended: number): Uint8Array {
  return timed(pack(RESULT_BYTES, slot, flags, value), began, ended);
}

export function slotOf(bytes: Uint8Array): number {
  return viewOf(bytes).getInt32(0, true);
}

export function unpackTask(bytes: Uint8Array): TaskMessage {
  return unpack(bytes, TASK_BYTES);
}

export function unpackResult(bytes: Uint8Array): ResultMessage {
  const view = viewOf(bytes);
  return { ...unpack(bytes, RESULT_BYTES), began: view.getFloat64(8, true), ended: view.getFloat64(16, true) };
}

function pack(header: number, slot: number, flags: number, value: unknown): Uint8Array {
  if (value === undefined) return head(new Uint8Array(header), slot, NOTHING, flags);
  if (typeof value === 'number') {
    const bytes = head(new Uint8Array(header + 8), slot, NUMBER, flags);
    viewOf(bytes).setFloat64(header, value, true);
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

function stub(header: number, slot: number, flags: number): Uint8Array {
  return head(new Uint8Array(header), slot, MESSAGE, flags);
}

function head(bytes: Uint8Array, slot: number, form: number, flags: number): Uint8Array {
  const view = viewOf(bytes);
  view.setInt32(0, slot, true);
  view.setUint8(4, form);
  view.setUint8(5, flags);
  return bytes;
}

function timed(bytes: Uint8Array, began: number, ended: number): Uint8Array {
  const view = viewOf(bytes);
  view.setFloat64(8, began, true);
  view.setFloat64(16, ended, true);
  return bytes;
}

function unpack(bytes: Uint8Array, header: number): TaskMessage {
  const view = viewOf(bytes);
  const form = view.getUint8(4);
  return { slot: view.getInt32(0, true), flags: view.getUint8(5), value: form === MESSAGE ? undefined : { of: valueOf(form, bytes.subarray(header)) } };
}

function valueOf(form: number, bytes: Uint8Array): unknown {
  switch (form) {
    case NOTHING:
      return undefined;
    case NUMBER:
      return viewOf(bytes).getFloat64(0, true);
    case TEXT:
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    default:
      return deserialize(bytes) as unknown;
  }
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
