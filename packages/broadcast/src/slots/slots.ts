// Chooses the slots of a codec: those for numbers, or those for bytes.

import type { SharedMemory } from '@sluice/core';
import { checkNumber, packedBy, type ValueCodec } from '@sluice/core/calls';
import { ByteSlots, type SlotPlan, type ValueSlots } from './byte-slots.ts';
import { isNumberCodec, NumberSlots } from './number-slots.ts';

/** Returns the slots of that codec over `plan`. */
export function slotsFor(codec: ValueCodec<unknown>, memory: SharedMemory, plan: SlotPlan): ValueSlots {
  return isNumberCodec(codec.name) ? new NumberSlots(codec.name, memory, plan) : new ByteSlots(codec, memory, plan);
}

/**
 * Returns the result of `pack` of those slots, for a value that is checked before they exist. Throws as `pack` does.
 */
export function packedForSlots(codec: ValueCodec<unknown>, most: number, value: unknown): unknown {
  return isNumberCodec(codec.name) ? checkNumber(codec.name, value) : packedBy(codec, most, value);
}
