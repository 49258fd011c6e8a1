// Creates and opens the block of a buffer.

import { HandleError, type WaitingPolicy } from '@sluice/core';
import { checkFunction, checkOptions, mergePolicy, show } from '@sluice/core/calls';
import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_SIZE,
  BLOCK_TAG,
  FLAG_LAST,
  FLAG_RECOVERY,
  FLAG_WANTS,
  FLAGS,
  OWNERS_AT,
} from '@sluice/core/format';
import { createBlock, newTag, openPrimitive, corrupt, type BlockRef, type NewBlock } from '@sluice/core/internal';
import type { BoundedBufferHandle } from '../api/handle.ts';
import {
  codecOf,
  FROM_OPTIONS,
  nameOf,
  ringBytesOf,
  shapeOf,
  type BufferOptions,
  type RingShape,
  type TakingOptions,
} from '../api/options.ts';
import { isReserved, type Codec } from '../api/codec.ts';
import { MIN_UNITS, LINES, MAX_BYTES, RING_BYTES, ROOM, UNIT_BYTES } from '../kernel/layout.ts';
import { BUFFER, SIDE_LOCK } from '../sides/kinds.ts';
import { Numbers } from '../values/numbers.ts';
import { Records } from '../values/records.ts';
import type { ValueStore } from '../values/store.ts';

/** Lines 1 and 2, the locks of the sides, have an owner. */
const OWNERS = 0b110 << OWNERS_AT;
/**
 * The flags of the lines: first the locks of the sides, then the lines of the agents that wait to become the head of a
 * side, then the lines in which that head waits for more units.
 */
const FLAGS_OF_LINES = [
  OWNERS,
  0,
  0,
  FLAG_RECOVERY | FLAG_WANTS,
  FLAG_RECOVERY | FLAG_WANTS,
  FLAG_WANTS,
  FLAG_WANTS | FLAG_LAST,
];
/** The lines that are locks. */
const LOCKS = [1, 2];

/** The parts of a buffer that an instance uses. */
export interface OpenedBuffer {
  readonly ref: BlockRef;
  readonly store: ValueStore<unknown>;
  /** The codec's name. */
  readonly codec: string;
  readonly policy: WaitingPolicy;
  readonly onTake?: TakingOptions['onTake'];
}

/** Creates a buffer. Throws `TypeError`, `RangeError`, `ArenaFullError`. If it throws, nothing was created. */
export function createBuffer<T>(options: BufferOptions<T>): OpenedBuffer {
  const shape = shapeOf(options as BufferOptions<never>);
  const codec = codecOf(options.codec);
  const ringBytes = ringBytesOf(shape);
  const fill = ({ words, address: buffer }: NewBlock): void => {
    words.put32(buffer + UNIT_BYTES, shape.unitBytes);
    words.put32(buffer + MIN_UNITS, shape.least);
    words.put32(buffer + MAX_BYTES, shape.most);
    words.put32(buffer + RING_BYTES, ringBytes);
    words.put32(buffer + BLOCK_LINE + ROOM, shape.room);
    for (const [line, flags] of FLAGS_OF_LINES.entries()) {
      const address = buffer + line * BLOCK_LINE;
      words.put32(address + FLAGS, flags);
      if (LOCKS.includes(line)) words.put32(address + BLOCK_KIND, SIDE_LOCK.code);
      // `createBlock` publishes the tag of the block's own line.
      if (line > 0) words.store32(address + BLOCK_TAG, newTag(words));
    }
  };
  // The ledger entries of two lines record the head of the line.
  const [ref, policy] = createBlock(BUFFER, options, { bytes: LINES * BLOCK_LINE + ringBytes, entries: 2, fill });
  return { ref, store: storeAt(ref, codec), codec: nameOf(options.codec), policy };
}

/** Opens the buffer of a handle. Throws `HandleError`, and `TypeError` for another codec. */
export function findBuffer<T>(
  handle: BoundedBufferHandle,
  options: TakingOptions & { readonly codec?: Codec<T> },
): OpenedBuffer {
  checkOptions(options, FROM_OPTIONS);
  const { onTake } = options;
  if (onTake !== undefined) checkFunction(onTake);
  const ref = openPrimitive(handle, BUFFER);
  const given = options.codec ?? handle.codec;
  if (options.codec === undefined && !isReserved(handle.codec)) {
    throw new TypeError(`The buffer was made with the codec ${show(handle.codec)}: pass it, from(handle, { codec })`);
  }
  const name = nameOf(given);
  if (name !== handle.codec)
    throw new TypeError(`The buffer was made with the codec ${show(handle.codec)}: received ${show(name)}`);
  const codec = codecOf(given);
  checkShape(ref, name, codec);
  const store = storeAt(ref, codec);
  return { ref, store, codec: name, policy: mergePolicy(ref.arena.policy, options.policy), onTake };
}

/** Checks the handle against the memory: whether the buffer holds numbers, and their width. */
function checkShape({ context: { words }, address }: BlockRef, name: string, codec: Codec<unknown> | undefined): void {
  const ofNumbers = words.get32(address + MAX_BYTES) === 0;
  const wide = words.get32(address + UNIT_BYTES) === Float64Array.BYTES_PER_ELEMENT;
  if (ofNumbers === (codec === undefined) && (!ofNumbers || wide === (name === 'float64'))) return;
  throw new HandleError(
    `Not a handle of kind sluice.bounded-buffer: the buffer that it refers to does not hold values of the codec ${show(name)}.`,
  );
}

/** Returns this agent's view of the ring, which lies behind the lines. */
function storeAt(
  { arena, context: { words }, address }: BlockRef,
  codec: Codec<unknown> | undefined,
): ValueStore<unknown> {
  const { memory } = arena.handle;
  // Growing by 0 refreshes `buffer`, which may date from before another agent grew the memory.
  memory.grow(0);
  const ring = address + LINES * BLOCK_LINE;
  const ringBytes = words.get32(address + RING_BYTES);
  const unitBytes = words.get32(address + UNIT_BYTES);
  const fits =
    (unitBytes === 4 || unitBytes === 8) &&
    ringBytes > 0 &&
    (ringBytes & (ringBytes - 1)) === 0 &&
    LINES * BLOCK_LINE + ringBytes <= words.load32(address + BLOCK_SIZE);
  if (!fits) throw corrupt(`a bounded buffer has a ring of ${ringBytes} bytes in units of ${unitBytes}`);
  if (codec === undefined) return new Numbers(unitBytes, memory.buffer, ring, ringBytes);
  const shape: RingShape = {
    unitBytes,
    room: 0,
    least: words.get32(address + MIN_UNITS),
    most: words.get32(address + MAX_BYTES),
  };
  return new Records(shape, codec, memory.buffer, ring, ringBytes);
}
