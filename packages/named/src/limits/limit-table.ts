// The table of a keyed limit: how it is created and opened. Behind its lists it has the number of slots of each key,
// and the semaphore of all keys together.

import { HandleError, Semaphore, type Arena, type SemaphoreHandle } from '@sluice/core';
import { checkInteger, checkOptions, MAX_PERMITS } from '@sluice/core/calls';
import { chosenArena, corrupt, type PrimitiveHandle } from '@sluice/core/internal';
import { KeyTable, type TableTraits } from '../table/key-table.ts';
import { MARK_SLOTS, USUALLY_KEPT } from '../table/layout.ts';
import { SlotEntries } from './slot-entries.ts';

export const KIND = 'sluice.keyed-limit';
export const NAMING = { className: 'KeyedLimit', what: 'The keyed limit' };

/** The handle to post to another thread. Pass it to `KeyedLimit.from` there. */
export interface KeyedLimitHandle extends PrimitiveHandle<'sluice.keyed-limit'> {
  /** Present if the keys have a limit together. */
  readonly total?: SemaphoreHandle;
}

export interface KeyedLimitOptions {
  /** The maximum of calls for one key that run at a time: 1 to 2^31 − 1. */
  readonly concurrency: number;
  /** The maximum of calls for all keys that run at a time: 1 to 2^31 − 1. Default: no maximum. */
  readonly total?: number | undefined;
  /** The arena that contains the limit. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

const OPTIONS: readonly string[] = ['concurrency', 'total', 'arena', 'name'];

// Words of the table, behind its lists.
const CONCURRENCY = 0;
const TOTAL = 4; // the block of the slots of all keys together, 0 = no limit
const OWN_BYTES = 8;

function traitsOf(entries: SlotEntries): TableTraits {
  return {
    mark: MARK_SLOTS,
    payload: 0,
    kept: USUALLY_KEPT,
    ...NAMING,
    entries,
  };
}

/** An open keyed limit. */
export interface OpenedLimitTable {
  readonly keys: KeyTable;
  readonly concurrency: number;
  readonly total: Semaphore | undefined;
}

/** Creates the table. Throws as `KeyedLimit.create` does. */
export function createSlots(options: KeyedLimitOptions): OpenedLimitTable {
  checkOptions(options, OPTIONS);
  const { concurrency, total: most, name } = options;
  checkInteger('concurrency', concurrency, 1, MAX_PERMITS);
  if (most !== undefined) checkInteger('total', most, 1, MAX_PERMITS);
  const arena = chosenArena(options.arena);
  const total = most === undefined ? undefined : Semaphore.create(most, { arena, name, max: most });
  try {
    const entries = new SlotEntries();
    entries.concurrency = concurrency;
    const keys = KeyTable.create(arena, name, traitsOf(entries), true, {
      bytes: OWN_BYTES,
      fill: (words, address) => {
        words.put32(address + CONCURRENCY, concurrency);
        words.put32(address + TOTAL, total?.handle.address ?? 0);
      },
    });
    return { keys, concurrency, total };
  } catch (failure) {
    total?.free();
    throw failure;
  }
}

/** Opens the table of a handle. Throws `HandleError`. */
export function openSlots(handle: KeyedLimitHandle): OpenedLimitTable {
  const entries = new SlotEntries();
  const keys = KeyTable.open(handle, KIND, traitsOf(entries));
  const { words } = keys.context;
  entries.concurrency = words.get32(keys.data.address + CONCURRENCY);
  if (entries.concurrency < 1) throw corrupt(`a keyed limit has ${entries.concurrency} slots for each key`);
  // Otherwise the calls of this agent would not count.
  if ((handle.total?.address ?? 0) !== words.get32(keys.data.address + TOTAL))
    throw new HandleError('Not a handle of kind sluice.keyed-limit: its total is not that of the limit.');
  const total = handle.total === undefined ? undefined : Semaphore.from(handle.total);
  // Otherwise an address of one arena would be used in another.
  if (total !== undefined && total.handle.arena !== handle.arena)
    throw new HandleError('Not a handle of kind sluice.keyed-limit: its parts lie in different arenas.');
  return { keys, concurrency: entries.concurrency, total };
}
