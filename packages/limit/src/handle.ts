// The handle of a limit, and what it refers to.

import { HandleError, Region, Semaphore, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { show } from '@sluice/core/internal';
import { SizedSlots } from './sized-slots.ts';
import { Slots } from './slots.ts';

/** Post this to another thread and give it to `createLimit.from` there. */
export interface LimitHandle {
  readonly kind: 'sluice.limit';
  readonly slots: SemaphoreHandle;
  /** Present if the concurrency of the limit can be set. */
  readonly size?: RegionHandle;
}

/** The bytes of the word that holds the number of slots. */
const SIZE_BYTES = 8;

/** Throws `HandleError`; `ArenaFullError` if no record is left for this agent. */
export function slotsOf(handle: LimitHandle): Slots {
  const { kind, slots, size } = checkKind(handle);
  if (kind !== 'sluice.limit') throw foreign(`received kind ${show(kind)}`);
  // Tested by presence, not by value: an incomplete handle must fail.
  if (!('size' in handle)) return new Slots(Semaphore.from(slots as SemaphoreHandle));
  const word = Region.from(size as RegionHandle);
  const semaphore = Semaphore.from(slots as SemaphoreHandle);
  // Otherwise its address would be used in the arena of the slots.
  if (word.handle.arena !== semaphore.handle.arena) throw foreign('its size lies in another arena than its slots');
  if (word.byteLength < SIZE_BYTES) throw foreign(`its size has ${word.byteLength} bytes`);
  return new SizedSlots(semaphore, word);
}

function checkKind(handle: unknown): { readonly [Key in keyof LimitHandle]?: unknown } {
  if (typeof handle === 'object' && handle !== null) return handle;
  throw foreign(typeof handle === 'function' ? 'received a function: of a limit pass its `handle`' : `received ${show(handle)}`);
}

function foreign(what: string): HandleError {
  return new HandleError(`Not a handle of kind sluice.limit: ${what}.`);
}
