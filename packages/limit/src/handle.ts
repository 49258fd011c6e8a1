// What leads to a limit in another agent.

import { HandleError, Region, Semaphore, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { show } from '@sluice/core/internal';
import { SizedSlots } from './sized-slots.ts';
import { Slots } from './slots.ts';

/** Post this to another thread and give it to `createLimit.from` there. */
export interface LimitHandle {
  readonly kind: 'sluice.limit';
  readonly slots: SemaphoreHandle;
  /** Of a limit whose concurrency can be set. */
  readonly size?: RegionHandle;
}

/** The word that says how many slots there are. */
const SIZE_BYTES = 8;

/** Throws `HandleError`; `ArenaFullError` if no record is left for this agent. */
export function slotsOf(handle: LimitHandle): Slots {
  const { kind, slots, size } = checkKind(handle);
  if (kind !== 'sluice.limit') throw foreign(`received kind ${show(kind)}`);
  // Not by its value: half a handle is none.
  if (!('size' in handle)) return new Slots(Semaphore.from(slots as SemaphoreHandle));
  const word = Region.from(size as RegionHandle);
  const semaphore = Semaphore.from(slots as SemaphoreHandle);
  // Its address would be taken for one of the slots' arena.
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
