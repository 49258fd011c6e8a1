// The layout of tasks and results in a buffer: two words, then the value.
//
//   task     slot, form of the value, flags · generation                                               then the value
//   result   slot, form of the value, flags · 0 · began · ended (ms since 1970)                        then the value
//
// The first word has 24 bits of slot, 4 of form, 4 of flags. `generation` distinguishes the task from earlier
// tasks of its slot (claims.ts).

import { Buffer } from 'node:buffer'; // a sandbox may have none
import type { TaskCodec } from '../clone/task-codec.ts';

/** The form of a value. The most frequent values have short forms: the general one takes some microseconds. */
const NOTHING = 0;
const NUMBER = 1;
const TEXT = 2;
/** A byte with the number of arenas that the value may lie in, then the value as the engine writes it. */
const CLONE = 3;
/** The value is too long for the buffer, or only a message can carry it. */
const MESSAGE = 4;
/** The task was cancelled before a worker took it. */
const WITHDRAWN = 5;

/**
 * Flags. OTHER_FUNCTION: the task's value is [filename, name, value]. FAILED: the result is a failure. SKIPPED: the
 * task was not begun.
 */
export const OTHER_FUNCTION = 1;
export const FAILED = 1;
export const SKIPPED = 2;

const SLOT_BYTES = 3;
const FORM = 3;
const FLAGS_SHIFT = 4;
const FORM_MASK = (1 << FLAGS_SHIFT) - 1;
const GENERATION = 4;
const TASK_BYTES = 8;
const RESULT_BYTES = 24;
const BEGAN = 8;
const ENDED = 16;

export interface TaskHead {
  readonly slot: number;
  readonly flags: number;
  /** Whether the value is sent as a message. */
  readonly isMessage: boolean;
  /** The value lies in at most the first `arenas` of the arenas that both ends have. */
  readonly arenas: number;
}

export interface ResultHead {
  readonly slot: number;
  readonly flags: number;
  readonly began: number;
  readonly ended: number;
}

/** Room before the value of a clone: for the head, and the number of arenas. */
const BEFORE_TASK = new Uint8Array(TASK_BYTES + 1);
const BEFORE_RESULT = new Uint8Array(RESULT_BYTES + 1);

/** Returns `undefined` if the value must be sent as a message, or is longer than `most` bytes. */
export function packTask(
  slot: number,
  generation: number,
  flags: number,
  value: unknown,
  codec: TaskCodec,
  most: number,
): Uint8Array | undefined {
  const bytes = pack(BEFORE_TASK, slot, flags, value, codec, most);
  return bytes && putGeneration(bytes, generation);
}

/** Packs an entry without its value, which is sent as a message. */
export function packTaskStub(slot: number, generation: number, flags: number): Uint8Array {
  return putGeneration(head(new Uint8Array(TASK_BYTES), slot, MESSAGE, flags), generation);
}

/** Packs a result as `packTask` packs a task. */
export function packResult(
  { slot, flags, began, ended }: ResultHead,
  value: unknown,
  codec: TaskCodec,
  most: number,
): Uint8Array | undefined {
  const bytes = pack(BEFORE_RESULT, slot, flags, value, codec, most);
  if (bytes === undefined) return undefined;
  putDouble(bytes, BEGAN, began);
  putDouble(bytes, ENDED, ended);
  return bytes;
}

export function taskHeadOf(bytes: Uint8Array): TaskHead {
  const form = formOf(bytes);
  return {
    slot: slotOf(bytes),
    flags: flagsOf(bytes),
    isMessage: form === MESSAGE,
    arenas: form === CLONE ? byteAt(bytes, TASK_BYTES) : 0,
  };
}

/** Marks an entry: the worker that takes it finds that the task was cancelled. */
export function withdraw(bytes: Uint8Array): void {
  bytes[FORM] = WITHDRAWN;
}

export function isWithdrawn(bytes: Uint8Array): boolean {
  return formOf(bytes) === WITHDRAWN;
}

/**
 * Reads the value of a task. Throws what the engine throws, for instance if the value is nested too deeply for this
 * thread's stack.
 */
export function taskValueOf(bytes: Uint8Array, codec: TaskCodec): unknown {
  return valueOf(bytes, TASK_BYTES, codec);
}

export function resultHeadOf(bytes: Uint8Array): ResultHead {
  return { slot: slotOf(bytes), flags: flagsOf(bytes), began: doubleAt(bytes, BEGAN), ended: doubleAt(bytes, ENDED) };
}

/** Reads the value of a result. Throws as `taskValueOf` does. */
export function resultValueOf(bytes: Uint8Array, codec: TaskCodec): unknown {
  return valueOf(bytes, RESULT_BYTES, codec);
}

export function slotOf(bytes: Uint8Array): number {
  return byteAt(bytes, 0) | (byteAt(bytes, 1) << 8) | (byteAt(bytes, 2) << 16);
}

export function generationOf(bytes: Uint8Array): number {
  return (
    byteAt(bytes, GENERATION) |
    (byteAt(bytes, GENERATION + 1) << 8) |
    (byteAt(bytes, GENERATION + 2) << 16) |
    (byteAt(bytes, GENERATION + 3) << 24)
  );
}

function pack(
  before: Uint8Array,
  slot: number,
  flags: number,
  value: unknown,
  codec: TaskCodec,
  most: number,
): Uint8Array | undefined {
  const header = before.length - 1;
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
  const clone = codec.toBytes(value, before, most);
  if (clone === undefined) return undefined;
  const bytes = head(clone.bytes, slot, CLONE, flags);
  if (clone.isShared) bytes[header] = codec.memories.count;
  return bytes;
}

function head(bytes: Uint8Array, slot: number, form: number, flags: number): Uint8Array {
  for (let n = 0; n < SLOT_BYTES; n++) bytes[n] = slot >> (8 * n);
  bytes[FORM] = form | (flags << FLAGS_SHIFT);
  return bytes;
}

function putGeneration(bytes: Uint8Array, generation: number): Uint8Array {
  for (let n = 0; n < 4; n++) bytes[GENERATION + n] = generation >> (8 * n);
  return bytes;
}

function formOf(bytes: Uint8Array): number {
  return byteAt(bytes, FORM) & FORM_MASK;
}

function flagsOf(bytes: Uint8Array): number {
  return byteAt(bytes, FORM) >> FLAGS_SHIFT;
}

function valueOf(bytes: Uint8Array, at: number, codec: TaskCodec): unknown {
  switch (formOf(bytes)) {
    case NOTHING:
    case MESSAGE:
      return undefined;
    case NUMBER:
      return doubleAt(bytes, at);
    case TEXT:
      return Buffer.from(bytes.buffer, bytes.byteOffset + at, bytes.length - at).toString();
    default:
      return codec.fromBytes(bytes.subarray(at + 1));
  }
}

// Byte by byte: a DataView for each message costs more than all other work on it.

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
