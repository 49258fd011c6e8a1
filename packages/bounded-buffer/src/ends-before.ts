// Waiting for calls of one's own, but not longer than the wait itself may take.

import type { WaitOptions } from '@sluice/core';
import { offAbort, onAbort } from '@sluice/core/internal';

/** Whether `turn` settles within `timeoutMs`. Rejects with the signal's reason. */
export async function endsBefore(turn: Promise<void>, { signal, ref = true }: WaitOptions, timeoutMs: number): Promise<boolean> {
  // It may have been aborted before anybody listens here.
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = (): void => undefined;
  const late = new Promise<boolean>((resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's, whatever it is
    abort = () => reject(signal?.reason);
    onAbort(signal, abort);
    if (timeoutMs === Infinity) return;
    timer = setTimeout(() => resolve(false), Math.min(timeoutMs, 2 ** 31 - 1));
    if (!ref && typeof timer === 'object') timer.unref();
  });
  try {
    return await Promise.race([turn.then(() => true), late]);
  } finally {
    clearTimeout(timer);
    offAbort(signal, abort);
  }
}
