// The shared memory of a pool.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Region } from '@sluice/core';
import { SlotTable, slotTableBytes } from './slot-table.ts';
import { MOST_BUFFER_BYTES, type Settings } from './options.ts';

/** The bytes of the smallest task in the buffer, with the word before it. */
export const LEAST_TASK_BYTES = 12;

export interface Memory {
  readonly tasks: BoundedBuffer<Uint8Array>;
  readonly results: BoundedBuffer<Uint8Array>;
  readonly slotTable: SlotTable;
}

/** How many entries of withdrawn tasks may be in the buffer, for this many slots. At that number they are taken out together. */
export function mostWithdrawn(slots: number): number {
  return slots;
}

/** Throws `ArenaFullError`; then everything it created was freed. */
export function makeMemory({ arena, bufferBytes }: Settings, slots: number): Memory {
  const undo: (() => void)[] = [];
  const make = <T extends { free(): void }>(made: T): T => {
    undo.push(() => made.free());
    return made;
  };
  const ringBytes = Math.min(MOST_BUFFER_BYTES, bufferBytes + (slots + mostWithdrawn(slots)) * LEAST_TASK_BYTES);
  try {
    const tasks = make(BoundedBuffer.create({ arena, codec: 'bytes', ringBytes, name: 'tasks' }));
    const results = make(BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: bufferBytes, name: 'results' }));
    const slotTable = new SlotTable(make(Region.create(slotTableBytes(slots), { arena, name: 'tasks taken' })), slots);
    return { tasks, results, slotTable };
  } catch (failure) {
    for (const free of undo) free();
    throw failure;
  }
}
