// Reads an arena without an agent in it, for reports. Such a thread takes no record, answers no probe, and its end
// leaves nothing behind.

import { AtomicParking } from '../agent/parking.ts';
import { HEADER_MAX_PAGES } from '../kernel/layout.ts';
import { AtomicWords } from '../kernel/words.ts';
import { checkArena, checkHandle, type ArenaHandle } from '../memory/handle.ts';
import { Heap } from '../memory/heap.ts';
import type { Onlooker, Reader } from '../report/holders-and-waiters.ts';

/**
 * Opens the arena of a handle for reading. `kindWith` tells of the kinds that the thread knows. Throws `HandleError`
 * if the handle is not that of an arena.
 */
export function onlookerAt(handle: ArenaHandle, kindWith: Reader['kindWith']): Onlooker {
  const memory = checkHandle('sluice.arena', handle);
  const words = new AtomicWords(memory);
  checkArena('sluice.arena', handle, words, memory);
  const heap = new Heap(memory, words.get32(HEADER_MAX_PAGES));
  return { words, kindWith, id: 0, heap, parking: new AtomicParking(words) };
}
