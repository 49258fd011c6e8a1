// The same work on one thread, without any buffer.
import { setImmediate as turn } from 'node:timers/promises';
import { readBlocks } from './read-blocks.mjs';
import { Sum, tallyOf } from './tally.mjs';

/** @typedef {Awaited<ReturnType<typeof tallyAlone>>} Alone */

/** @param {import('./together.mjs').PassOptions} options */
export async function tallyAlone({ log, blockBytes, signal, onProgress }) {
  const start = performance.now();
  const sum = new Sum();
  for (const block of readBlocks(log.path, log.bytes, blockBytes)) {
    sum.add(tallyOf(block));
    onProgress(sum.read);
    await turn(); // For Ctrl-C.
    if (signal.aborted) break;
  }
  const stopped = signal.aborted && sum.read < log.bytes;
  return { tally: sum.tally(), stopped, seconds: (performance.now() - start) / 1000 };
}
