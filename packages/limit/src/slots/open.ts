// Opens the parts of a limit from its handle.

import { Region, Semaphore, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { checkHandle, foreign, type LimitHandle, type UncheckedHandle } from '../api/handle.ts';
import { SizedSlots } from './sized-slots.ts';
import { Slots } from './slots.ts';

/** The size of the word that holds the number of slots. */
const SIZE_BYTES = 8;

/**
 * Opens the slots of a limit without an interval. Throws `HandleError`, and `ArenaFullError` if no record is left for
 * this agent.
 */
export function slotsOf(handle: LimitHandle): Slots {
  const given = checkHandle(handle);
  // By presence, not by value: an incomplete handle must fail.
  if (!('size' in given)) return new Slots(Semaphore.from(given.slots as SemaphoreHandle));
  const { semaphore, word } = sizedParts(given);
  return new SizedSlots(semaphore, word);
}

/** Opens the slots of a limit, and the word with their number. */
export function sizedParts({ slots, size }: UncheckedHandle): { readonly semaphore: Semaphore; readonly word: Region } {
  const word = Region.from(size as RegionHandle);
  const semaphore = Semaphore.from(slots as SemaphoreHandle);
  // Otherwise its address would be used in the arena of the slots.
  if (word.handle.arena !== semaphore.handle.arena) throw foreign('its size lies in another arena than its slots');
  if (word.byteLength < SIZE_BYTES) throw foreign(`its size has ${word.byteLength} bytes`);
  return { semaphore, word };
}
