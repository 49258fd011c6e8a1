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
  /** Present if the limit has an interval. */
  readonly interval?: IntervalHandle;
}

/** What counts the starts of a limit in an interval. */
export interface IntervalHandle {
  readonly line: SemaphoreHandle;
  readonly alarm: SemaphoreHandle;
  readonly count: RegionHandle;
}

/** The bytes of the word that holds the number of slots. */
const SIZE_BYTES = 8;

/** What the handle of a limit without an interval refers to. Throws `HandleError`; `ArenaFullError` if no record is left for this agent. */
export function slotsOf(handle: LimitHandle): Slots {
  const given = checkHandle(handle);
  // Otherwise this agent would start calls that the interval does not allow.
  if ('interval' in given) throw foreign('the limit has an interval: import createLimit from @sluice/limit/interval in this thread, too');
  // Tested by presence, not by value: an incomplete handle must fail.
  if (!('size' in given)) return new Slots(Semaphore.from(given.slots as SemaphoreHandle));
  const { semaphore, word } = sizedParts(given);
  return new SizedSlots(semaphore, word);
}

/** Its slots, and the word that says how many there are. */
export function sizedParts({ slots, size }: UncheckedHandle): { readonly semaphore: Semaphore; readonly word: Region } {
  const word = Region.from(size as RegionHandle);
  const semaphore = Semaphore.from(slots as SemaphoreHandle);
  // Otherwise its address would be used in the arena of the slots.
  if (word.handle.arena !== semaphore.handle.arena) throw foreign('its size lies in another arena than its slots');
  if (word.byteLength < SIZE_BYTES) throw foreign(`its size has ${word.byteLength} bytes`);
  return { semaphore, word };
}

export type UncheckedHandle = { readonly [Key in keyof LimitHandle]?: unknown };

export function checkHandle(handle: unknown): UncheckedHandle {
  if (typeof handle === 'function') throw foreign('received a function: of a limit pass its `handle`');
  if (typeof handle !== 'object' || handle === null) throw foreign(`received ${show(handle)}`);
  const { kind } = handle as { readonly kind?: unknown };
  if (kind !== 'sluice.limit') throw foreign(`received kind ${show(kind)}`);
  return handle;
}

export function foreign(what: string): HandleError {
  return new HandleError(`Not a handle of kind sluice.limit: ${what}.`);
}
