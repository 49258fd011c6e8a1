// Creates a buffer's block, and finds it again.

import { HandleError, type WaitingPolicy } from '@sluice/core';
import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_SIZE,
  BLOCK_TAG,
  checkFunction,
  checkOptions,
  chosenArena,
  createPrimitive,
  FLAG_LAST,
  FLAG_RECOVERY,
  FLAG_WANTS,
  FLAGS,
  loadKind,
  mergePolicy,
  newTag,
  openPrimitive,
  OWNERS_AT,
  contextOf,
  corrupt,
  show,
  type Place,
} from '@sluice/core/internal';
import type { BoundedBufferHandle } from './handle.ts';
import {
  codecOf,
  FROM_OPTIONS,
  nameOf,
  ringBytesOf,
  shapeOf,
  type BufferOptions,
  type Shape,
  type TakingOptions,
} from './options.ts';
import { isReserved, type Codec } from './codec.ts';
import { LEAST_UNITS, LINES, MOST_BYTES, RING_BYTES, ROOM, UNIT_BYTES } from './kernel/layout.ts';
import { BUFFER, SIDE_LOCK } from './kinds.ts';
import { Numbers } from './numbers.ts';
import { Records } from './records.ts';
import type { Store } from './store.ts';

/** Lines 1 and 2, the sides' locks, name an owner. */
const OWNERS = 0b110 << OWNERS_AT;
/**
 * The flags of each line: both sides' locks, the lines in which agents wait, and those in which the agent with the turn
 * waits for more.
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

/** Everything an instance needs. */
export interface Found {
  readonly place: Place;
  readonly store: Store<unknown>;
  /** The codec's name. */
  readonly codec: string;
  readonly policy: WaitingPolicy;
  readonly onTake?: TakingOptions['onTake'];
}

/** Throws `TypeError`, `RangeError`, `ArenaFullError`; then nothing was created. */
export function createBuffer<T>(options: BufferOptions<T>): Found {
  const shape = shapeOf(options as BufferOptions<never>);
  const codec = codecOf(options.codec);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const ringBytes = ringBytesOf(shape);
  // Before the buffer exists: an agent may lack the kind's kernel.
  loadKind(contextOf(arena), BUFFER);
  // Reserved before the block exists: both lines keep a record of the agent that has the turn.
  contextOf(arena).reserveEntry(2);
  const place = createPrimitive(arena, BUFFER.code, LINES * BLOCK_LINE + ringBytes, options.name, (words, buffer) => {
    words.put32(buffer + UNIT_BYTES, shape.unitBytes);
    words.put32(buffer + LEAST_UNITS, shape.least);
    words.put32(buffer + MOST_BYTES, shape.most);
    words.put32(buffer + RING_BYTES, ringBytes);
    words.put32(buffer + BLOCK_LINE + ROOM, shape.room);
    for (const [line, flags] of FLAGS_OF_LINES.entries()) {
      const address = buffer + line * BLOCK_LINE;
      words.put32(address + FLAGS, flags);
      if (LOCKS.includes(line)) words.put32(address + BLOCK_KIND, SIDE_LOCK.code);
      // `createPrimitive` publishes the block's own.
      if (line > 0) words.store32(address + BLOCK_TAG, newTag(words));
    }
  });
  return { place, store: storeAt(place, codec), codec: nameOf(options.codec), policy };
}

/** Throws `HandleError`, `TypeError` (another codec). */
export function findBuffer<T>(
  handle: BoundedBufferHandle,
  options: TakingOptions & { readonly codec?: Codec<T> },
): Found {
  checkOptions(options, FROM_OPTIONS);
  const { onTake } = options;
  if (onTake !== undefined) checkFunction(onTake);
  const place = openPrimitive(handle, BUFFER);
  const given = options.codec ?? handle.codec;
  if (options.codec === undefined && !isReserved(handle.codec)) {
    throw new TypeError(`The buffer was made with the codec ${show(handle.codec)}: pass it, from(handle, { codec })`);
  }
  const name = nameOf(given);
  if (name !== handle.codec)
    throw new TypeError(`The buffer was made with the codec ${show(handle.codec)}: received ${show(name)}`);
  const codec = codecOf(given);
  checkShape(place, name, codec);
  const store = storeAt(place, codec);
  return { place, store, codec: name, policy: mergePolicy(place.arena.policy, options.policy), onTake };
}

/** Checks the handle against the memory: whether the buffer holds numbers, and how wide they are. */
function checkShape({ context: { words }, address }: Place, name: string, codec: Codec<unknown> | undefined): void {
  const ofNumbers = words.get32(address + MOST_BYTES) === 0;
  const wide = words.get32(address + UNIT_BYTES) === Float64Array.BYTES_PER_ELEMENT;
  if (ofNumbers === (codec === undefined) && (!ofNumbers || wide === (name === 'float64'))) return;
  throw new HandleError(
    `Not a handle of kind sluice.bounded-buffer: the buffer that it refers to does not hold values of the codec ${show(name)}.`,
  );
}

/** The ring after the lines, as this agent's view of it. */
function storeAt({ arena, context: { words }, address }: Place, codec: Codec<unknown> | undefined): Store<unknown> {
  const { memory } = arena.handle;
  // Growing by 0 refreshes `buffer`: otherwise it may be the one from before another agent grew the memory.
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
  const shape: Shape = {
    unitBytes,
    room: 0,
    least: words.get32(address + LEAST_UNITS),
    most: words.get32(address + MOST_BYTES),
  };
  return new Records(shape, codec, memory.buffer, ring, ringBytes);
}
