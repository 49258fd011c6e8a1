// Creates a broadcast's block, and finds it again; and what errors say about a broadcast.

import type { WaitingPolicy } from '@sluice/core';
import {
  checkOptions,
  chosenArena,
  codecOf,
  contextOf,
  createPrimitive,
  FLAG_COUNTS_WAITS,
  FLAG_LAST,
  FLAGS,
  isBuiltInCodec,
  LIMIT,
  mergePolicy,
  openPrimitive,
  show,
  slotsFor,
  slotStride,
  type AccountShape,
  type Place,
  type QueueBehaviour,
  type Slots,
  type ValueCodec,
  type Words,
} from '@sluice/core/internal';
import { INDEX_AT, INDEX_STRIDE, RING_MASK, SLOT_STRIDE, SPARES, SPARES_AT } from './kernel/layout.ts';
import { BROADCAST } from './kinds.ts';
import { checkedShape, FROM_OPTIONS, type BroadcastFromOptions, type BroadcastHandle, type BroadcastOptions } from './options.ts';
import { publishedAt } from './report.ts';

/** Everything that an instance needs. */
export interface Found {
  readonly place: Place;
  readonly policy: WaitingPolicy;
  readonly slots: Slots;
  /** The codec's name. */
  readonly codec: string;
}

/** Slots begin at a cache line. */
const ALIGNED = 64;

/** How waiters of a broadcast behave. Recorded: the ledger entry says which slot its agent writes. */
export const MANNER: QueueBehaviour = { recorded: true, together: true };

/** What errors say. `untouched`: of the call. */
export function accountOf(untouched: string): AccountShape {
  return {
    className: 'Broadcast',
    late: 'published no value',
    untouched,
    ordered: false,
    state: (place) => `${publishedAt(place)} published`,
    blame: () => [],
  };
}

/** Throws `TypeError`, `RangeError`, `ArenaFullError`; then nothing was created. */
export function createBroadcast<T>(options: BroadcastOptions<T>): Found {
  const { codec, capacity, most } = checkedShape(options as BroadcastOptions<never>);
  const stride = slotStride(most);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const context = contextOf(arena);
  // Before the block is allocated: an agent may lack the kernel, and filling the block must not stop half-way.
  const { steps: line } = context.load(BROADCAST);
  context.reserveEntry();
  const bytes = slotsBegin(capacity) + (capacity + SPARES) * stride;
  const place = createPrimitive(arena, BROADCAST.code, bytes, options.name, (words, stream, tag) => {
    words.put32(stream + FLAGS, FLAG_COUNTS_WAITS | FLAG_LAST);
    words.put32(stream + LIMIT, most);
    words.put32(stream + RING_MASK, capacity - 1);
    words.put32(stream + SLOT_STRIDE, stride);
    fillIndex(words, stream, capacity);
    context.localState(stream, tag, { recorded: true, line });
  });
  return { place, policy, slots: slotsAt(place, codec), codec: codec.name };
}

/** Throws `HandleError`, `TypeError` (another codec), `ArenaFullError`. */
export function openBroadcast<T>(handle: BroadcastHandle<T>, options: BroadcastFromOptions<T>): Found {
  checkOptions(options, FROM_OPTIONS);
  const place = openPrimitive(handle, BROADCAST);
  if (options.codec === undefined && !isBuiltInCodec(handle.codec)) {
    throw new TypeError(`The broadcast was made with the codec ${show(handle.codec)}: pass it, from(handle, { codec })`);
  }
  const codec = codecOf(options.codec ?? handle.codec);
  if (codec.name !== handle.codec) throw new TypeError(`The broadcast was made with the codec ${show(handle.codec)}: received ${show(codec.name)}`);
  return { place, policy: mergePolicy(place.arena.policy, options.policy), slots: slotsAt(place, codec), codec: codec.name };
}

/** Each entry has a slot, and the position one lap before its first one. No subscriber reads it: positions begin at 0. */
function fillIndex(words: Words, stream: number, capacity: number): void {
  for (let slot = 0; slot < capacity; slot++) {
    const entry = stream + INDEX_AT + slot * INDEX_STRIDE;
    words.put32(entry, slot);
    words.put32(entry + 4, slot - capacity);
  }
  for (let place = 0; place < SPARES; place++) words.put32(stream + SPARES_AT + 4 * place, 1 + capacity + place);
}

/** Where the slots begin in the block. */
function slotsBegin(capacity: number): number {
  return Math.ceil((INDEX_AT + capacity * INDEX_STRIDE) / ALIGNED) * ALIGNED;
}

function slotsAt({ arena, context: { words }, address }: Place, codec: ValueCodec<unknown>): Slots {
  const [capacity, stride, most] = [1 + words.get32(address + RING_MASK), words.get32(address + SLOT_STRIDE), words.get32(address + LIMIT)];
  return slotsFor(codec, arena.handle.memory, { at: address + slotsBegin(capacity), count: capacity + SPARES, stride, most });
}
