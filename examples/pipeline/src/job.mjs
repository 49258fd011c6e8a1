// The two buffers between the threads. The main thread creates them, the others open them from the handles.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, hasCode } from '@sluice/core';

const PAGE_BYTES = 65_536;
const PAGES_TO_SPARE = 64;

/**
 * @param {number} blockBytes
 * @param {number} buffer how many blocks may wait
 */
export function createJob(blockBytes, buffer) {
  // A tally is shorter than its lines, and JSON at most doubles it.
  const tallyBytes = 4096 + 2 * blockBytes;
  const bytes = 2 * buffer * blockBytes + 2 * tallyBytes;
  const arena = Arena.create({ maxPages: PAGES_TO_SPARE + 2 * Math.ceil(bytes / PAGE_BYTES) });
  const handles = {
    blocks: BoundedBuffer.create({ arena, codec: 'bytes', capacity: buffer, slotBytes: blockBytes, name: 'blocks' }).handle,
    tallies: BoundedBuffer.create({ arena, codec: 'json', ringBytes: 2 * tallyBytes, name: 'tallies' }).handle,
  };
  return { ...openJob(handles), handles, arena };
}

/** @typedef {{ blocks: import('@sluice/bounded-buffer').BoundedBufferHandle,
 *   tallies: import('@sluice/bounded-buffer').BoundedBufferHandle }} JobHandles */

/** @param {JobHandles} handles */
export function openJob({ blocks, tallies }) {
  return {
    /** From the reader to the parsers. @type {BoundedBuffer<Uint8Array>} */
    blocks: BoundedBuffer.from(blocks),
    /** From the parsers to the main thread. @type {BoundedBuffer<{ parser: number, tally: import('./tally.mjs').Tally }>} */
    tallies: BoundedBuffer.from(tallies),
  };
}

/**
 * Whether a call ended because the buffer was closed. The program closes it to stop the reader.
 * @param {unknown} error
 */
export function isClosed(error) {
  return hasCode(error, 'SLUICE_CLOSED');
}
