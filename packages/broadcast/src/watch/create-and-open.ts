// Creates and opens the block of a watch cell, and describes the cell in errors.

import type { WaitingPolicy } from '@sluice/core';
import { BLOCK_LINE, FLAG_COUNTS_WAITS, FLAG_LAST, FLAGS, LIMIT } from '@sluice/core/format';
import {
  checkOptions,
  codecOf,
  isBuiltInCodec,
  mergePolicy,
  packedFor,
  show,
  type ValueCodec,
} from '@sluice/core/calls';
import { corrupt, createBlock, openPrimitive, type LineShape, type BlockRef } from '@sluice/core/internal';
import { packedForSlots, slotsFor } from '../slots/slots.ts';
import { slotStride, type ValueSlots } from '../slots/byte-slots.ts';
import { FREE_SLOTS, SLOT_STRIDE, SLOTS } from './kernel/layout.ts';
import { WATCH_CELL, type WatchKernel, type WatchSteps } from './kinds.ts';
import {
  checkedShape,
  FROM_OPTIONS,
  type WatchCellFromOptions,
  type WatchCellHandle,
  type WatchCellOptions,
} from './options.ts';
import { versionAt } from './report.ts';

/** All slots except the first, which has the first value. */
const ALL_BUT_FIRST = 2 ** SLOTS - 2;

/** The parts of a cell that an instance uses. */
export interface OpenedCell {
  readonly ref: BlockRef;
  readonly policy: WaitingPolicy;
  readonly slots: ValueSlots;
  /** The codec's name. */
  readonly codec: string;
}

/** The halves of the cell's word when an instance last got or set a value. */
export interface SeenVersion {
  low: number;
  high: number;
}

/** Creates a cell. Throws `TypeError`, `RangeError`, `ArenaFullError`. If it throws, nothing was created. */
export function createCell<T>(first: T, options: WatchCellOptions<T>): OpenedCell {
  const { codec, most } = checkedShape(options as WatchCellOptions<never>);
  const bytes = packedFor('WatchCell', () => packedForSlots(codec, most, first));
  const stride = slotStride(most);
  const [ref, policy] = createBlock(WATCH_CELL, options, {
    bytes: BLOCK_LINE + SLOTS * stride,
    entries: 1,
    fill: ({ context, words, address: cell, tag, line }) => {
      words.put32(cell + FLAGS, FLAG_COUNTS_WAITS | FLAG_LAST);
      words.put32(cell + LIMIT, most);
      words.put32(cell + SLOT_STRIDE, stride);
      words.put32(cell + FREE_SLOTS, ALL_BUT_FIRST);
      context.lineState(cell, tag, { recorded: true, line });
    },
  });
  const slots = slotsAt(ref, codec);
  // No other agent knows the cell yet.
  slots.write(0, bytes);
  return { ref, policy, slots, codec: codec.name };
}

/** Opens the cell of a handle. Throws `HandleError`, `TypeError` for another codec, `ArenaFullError`. */
export function openCell<T>(handle: WatchCellHandle<T>, options: WatchCellFromOptions<T>): OpenedCell {
  checkOptions(options, FROM_OPTIONS);
  const ref = openPrimitive(handle, WATCH_CELL);
  if (options.codec === undefined && !isBuiltInCodec(handle.codec)) {
    throw new TypeError(`The cell was made with the codec ${show(handle.codec)}: pass it, from(handle, { codec })`);
  }
  const codec = codecOf(options.codec ?? handle.codec);
  if (codec.name !== handle.codec)
    throw new TypeError(`The cell was made with the codec ${show(handle.codec)}: received ${show(codec.name)}`);
  return {
    ref,
    policy: mergePolicy(ref.arena.policy, options.policy),
    slots: slotsAt(ref, codec),
    codec: codec.name,
  };
}

function slotsAt({ arena, context: { words }, address }: BlockRef, codec: ValueCodec<unknown>): ValueSlots {
  const [stride, most] = [words.get32(address + SLOT_STRIDE), words.get32(address + LIMIT)];
  if (stride !== slotStride(most)) throw corrupt(`a watch cell has slots of ${stride} bytes for values of ${most}`);
  return slotsFor(codec, arena.handle.memory, {
    at: address + BLOCK_LINE,
    count: SLOTS,
    stride,
    most,
    what: 'a watch cell',
  });
}

/** Returns the shape of a line for an instance. `seen` is the instance's word, which its waits compare. */
export function shapeFor(seen: Readonly<SeenVersion>): LineShape<WatchSteps> {
  return {
    kind: WATCH_CELL,
    className: 'WatchCell',
    what: 'The watch cell',
    late: 'did not change',
    untouched: 'Nothing was changed.',
    ordered: false,
    state: (ref) => `version ${versionAt(ref)}`,
    blame: () => [],
    // Recorded, because the ledger entry names the slot that its agent writes.
    behaviour: { recorded: true, together: true },
    enterOrEnqueue: ({ context, address, tag }) => {
      const kernel = context.kernel as WatchKernel;
      return (mayWait) => kernel.enqueueAtWatch(address, tag, context.agent, mayWait, seen.low, seen.high);
    },
  };
}
