// Writes to the stderr of the process. A worker's own `process.stderr` goes through the main thread, which may block.

import { writeSync } from 'node:fs';

const STDERR = 2;
/** The pause in ms before the next attempt, if the reader of a pipe does not keep up. */
const PAUSE_MS = 10;
/** The most bytes that wait to be written. Further texts are dropped. */
const MAX_BYTES = 1 << 20;

let left: Uint8Array = new Uint8Array();
let isPaused = false;

/** Writes a text, at once if the file takes it. Texts are lost if nothing reads the file. */
export function writeOut(text: string): void {
  if (left.length > MAX_BYTES) return;
  left = Buffer.concat([left, Buffer.from(text)]);
  if (!isPaused) writeLeft();
}

function writeLeft(): void {
  isPaused = false;
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(STDERR, left));
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code !== 'EAGAIN') {
        // Nothing reads it.
        left = new Uint8Array();
        return;
      }
      isPaused = true;
      // A reader that is gone must not keep the thread alive.
      setTimeout(writeLeft, PAUSE_MS).unref();
      return;
    }
  }
}
