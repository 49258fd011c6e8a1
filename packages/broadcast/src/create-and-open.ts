// Creates and opens the block of a broadcast, and describes the broadcast in errors.

import type { WaitingPolicy } from '@sluice/core';
import {
  asBlock,
  asLine,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_NAME,
  BLOCK_TAG,
  CAPACITY,
  FLAG_COUNTS_WAITS,
  FLAG_LAST,
  FLAG_RECOVERY,
  FLAGS,
  GRANT,
  HEADER_TOP,
  KIND_SEMAPHORE,
  LIMIT,
} from '@sluice/core/format';
import { checkOptions, codecOf, isBuiltInCodec, mergePolicy, show, type ValueCodec } from '@sluice/core/calls';
import {
  PrimitiveErrors,
  corrupt,
  createBlock,
  openPrimitive,
  type ErrorShape,
  type NewBlock,
  type BlockRef,
  type Words,
} from '@sluice/core/internal';
import { slotsFor } from './slots/slots.ts';
import { slotStride, type ValueSlots } from './slots/byte-slots.ts';
import {
  ENTERING,
  FIRST_MARK,
  INDEX_AT,
  INDEX_STRIDE,
  MARK_AT,
  MARK_COUNT,
  MARK_SHIFT,
  MARKS,
  RING_MASK,
  ROOM_BEFORE,
  SLOT_STRIDE,
  SPARES,
  SPARES_AT,
  HEAD_LINE_BEFORE,
} from './kernel/layout.ts';
import { BROADCAST } from './kinds.ts';
import {
  checkedShape,
  FROM_OPTIONS,
  type BroadcastFromOptions,
  type BroadcastHandle,
  type BroadcastOptions,
} from './options.ts';
import { capacityAt, publishedAt, registeredAt, streamAt } from './report.ts';

/** The parts of a broadcast that an instance uses. */
export interface OpenedBroadcast {
  /** The block that a handle refers to. */
  readonly ref: BlockRef;
  /** The line of the values: the block itself, or with marks the last line of the block. */
  readonly stream: BlockRef;
  readonly policy: WaitingPolicy;
  readonly slots: ValueSlots;
  /** The codec's name. */
  readonly codec: string;
}

/** Slots begin at a cache line. */
const ALIGNED = 64;
/** Lines of the block of a broadcast with marks: the room, the publishers' line, the stream. */
export const LINES_WITH_MARKS = 3;

/** How waiters of a broadcast behave. Waits are recorded: an agent's ledger entry names the slot that it writes. */
export const BEHAVIOUR = { recorded: true, together: true };

/** Describes a broadcast in errors. `untouched` says what the failed call left unchanged. */
export function errorShapeOf(untouched: string): ErrorShape {
  return {
    className: 'Broadcast',
    late: 'published no value',
    untouched,
    ordered: false,
    state: (ref) => `${publishedAt(ref)} published`,
    blame: () => [],
  };
}

/** Describes publishers in errors. Publishers are held back by the agents of the slowest subscriptions. */
export function publishersErrors(ref: BlockRef, stream: BlockRef, headLine: BlockRef): PrimitiveErrors {
  const slowest = (): readonly number[] =>
    registeredAt(stream)
      .filter(({ behind }) => behind >= capacityAt(stream))
      .map(({ agent }) => agent);
  return new PrimitiveErrors(
    {
      className: 'Broadcast',
      late: 'had no room',
      untouched: 'The value was not published.',
      noun: 'publisher',
      // The head of the line waits for room.
      lines: () => [ref, headLine],
      state: () => `${publishedAt(stream)} published`,
      blame: () => [{ how: 'held back', agents: [...new Set(slowest())] }],
    },
    ref,
  );
}

/** Creates a broadcast. Throws `TypeError`, `RangeError`, `ArenaFullError`. If it throws, nothing was created. */
export function createBroadcast<T>(options: BroadcastOptions<T>): OpenedBroadcast {
  const { codec, capacity, most, marks } = checkedShape(options as BroadcastOptions<never>);
  const stride = slotStride(most);
  const marksAt = slotsBegin(capacity) + (capacity + SPARES) * stride;
  const bytes = marks === 0 ? marksAt : ROOM_BEFORE + marksAt + FIRST_MARK + (marks << MARK_SHIFT);
  const fill = ({ context, words, address: block, tag, line }: NewBlock): void => {
    const stream = marks === 0 ? block : asBlock(block + ROOM_BEFORE);
    words.put32(stream + FLAGS, FLAG_COUNTS_WAITS | FLAG_LAST);
    words.put32(stream + LIMIT, most);
    words.put32(stream + RING_MASK, capacity - 1);
    words.put32(stream + SLOT_STRIDE, stride);
    fillIndex(words, stream, capacity);
    context.lineState(stream, tag, { recorded: true, line });
    if (marks === 0) return;
    words.put32(block + FLAGS, FLAG_COUNTS_WAITS);
    context.lineState(block, tag, { recorded: true, line });
    fillHeadLine(words, block, tag);
    context.lineState(asLine(stream - HEAD_LINE_BEFORE), tag, { recorded: true });
    words.put32(stream + BLOCK_KIND, BROADCAST.code);
    words.put32(stream + BLOCK_TAG, tag);
    fillMarks(words, stream, marksAt, marks);
  };
  const entries = marks === 0 ? 1 : LINES_WITH_MARKS;
  const [ref, policy] = createBlock(BROADCAST, options, { bytes, entries, fill });
  return foundAt(ref, policy, codec);
}

/** Opens the broadcast of a handle. Throws `HandleError`, `TypeError` for another codec, `ArenaFullError`. */
export function openBroadcast<T>(handle: BroadcastHandle<T>, options: BroadcastFromOptions<T>): OpenedBroadcast {
  checkOptions(options, FROM_OPTIONS);
  const ref = openPrimitive(handle, BROADCAST);
  if (options.codec === undefined && !isBuiltInCodec(handle.codec)) {
    throw new TypeError(
      `The broadcast was made with the codec ${show(handle.codec)}: pass it, from(handle, { codec })`,
    );
  }
  const codec = codecOf(options.codec ?? handle.codec);
  if (codec.name !== handle.codec)
    throw new TypeError(`The broadcast was made with the codec ${show(handle.codec)}: received ${show(codec.name)}`);
  return foundAt(ref, mergePolicy(ref.arena.policy, options.policy), codec);
}

function foundAt(ref: BlockRef, policy: WaitingPolicy, codec: ValueCodec<unknown>): OpenedBroadcast {
  const stream = streamAt(ref);
  return { ref, stream, policy, slots: slotsAt(stream, codec), codec: codec.name };
}

/**
 * Fills the index: each entry gets a slot, and the position one lap before its first position. No subscriber reads
 * these positions, because positions begin at 0.
 */
function fillIndex(words: Words, stream: number, capacity: number): void {
  for (let slot = 0; slot < capacity; slot++) {
    const entry = stream + INDEX_AT + slot * INDEX_STRIDE;
    words.put32(entry, slot);
    words.put32(entry + 4, slot - capacity);
  }
  for (let place = 0; place < SPARES; place++) words.put32(stream + SPARES_AT + 4 * place, 1 + capacity + place);
}

/** Fills the publishers' line: a semaphore with one free permit. */
function fillHeadLine(words: Words, block: number, tag: number): void {
  const line = block + ROOM_BEFORE - HEAD_LINE_BEFORE;
  words.put32(line + FLAGS, FLAG_RECOVERY);
  words.put32(line + BLOCK_KIND, KIND_SEMAPHORE);
  words.put32(line + LIMIT, 1);
  words.store64(line + GRANT, 1n);
  words.store64(line + CAPACITY, 1n);
  words.put32(line + BLOCK_TAG, tag);
  // A report that has only this line reads the name here.
  for (let at = BLOCK_NAME; at < BLOCK_LINE; at += 4) words.put32(line + at, words.get32(block + at));
}

function fillMarks(words: Words, stream: number, marksAt: number, count: number): void {
  words.put32(stream + MARKS, marksAt);
  words.put32(stream + MARK_COUNT, count);
  for (let n = 0; n < count; n++) words.put32(stream + marksAt + FIRST_MARK + (n << MARK_SHIFT) + MARK_AT, ENTERING);
}

/** Returns the offset from the line at which the slots begin. */
function slotsBegin(capacity: number): number {
  return Math.ceil((INDEX_AT + capacity * INDEX_STRIDE) / ALIGNED) * ALIGNED;
}

function slotsAt({ arena, context: { words }, address }: BlockRef, codec: ValueCodec<unknown>): ValueSlots {
  const [capacity, stride, most] = [
    1 + words.get32(address + RING_MASK),
    words.get32(address + SLOT_STRIDE),
    words.get32(address + LIMIT),
  ];
  const fits =
    capacity > 0 &&
    stride === slotStride(most) &&
    slotsBegin(capacity) + (capacity + SPARES) * stride <= words.load32(HEADER_TOP) - address;
  if (!fits) throw corrupt(`a broadcast has ${capacity} slots of ${stride} bytes for values of ${most}`);
  return slotsFor(codec, arena.handle.memory, {
    at: address + slotsBegin(capacity),
    count: capacity + SPARES,
    stride,
    most,
    what: 'a broadcast',
  });
}
