// The shared memory of a pool.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Region } from '@sluice/core';
import { SlotTable, slotTableBytes } from './slot-table.ts';
import { MAX_BUFFER_BYTES, type Settings } from '../api/options.ts';

/** The size of the smallest task in the buffer, with the word before it. */
export const MIN_TASK_BYTES = 12;

export interface Memory {
  readonly tasks: BoundedBuffer<Uint8Array>;
  readonly results: BoundedBuffer<Uint8Array>;
  readonly slotTable: SlotTable;
}

/**
 * The maximum of withdrawn tasks whose entries are in the buffer. When it is reached, all of them are taken out
 * together.
 */
export function mostWithdrawn(slots: number): number {
  return slots;
}

/** Creates the shared memory of a pool. If it throws `ArenaFullError`, it has freed everything that it created. */
export function makeMemory({ arena, bufferBytes }: Settings, slots: number): Memory {
  const undo: (() => void)[] = [];
  const make = <T extends { free(): void }>(made: T): T => {
    undo.push(() => made.free());
    return made;
  };
  const ringBytes = Math.min(MAX_BUFFER_BYTES, bufferBytes + (slots + mostWithdrawn(slots)) * MIN_TASK_BYTES);
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
