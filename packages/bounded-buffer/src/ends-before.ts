// Waiting for a call of one's own, but not longer than the wait itself may take.

import type { WaitOptions } from '@sluice/core';

/** Whether `call` settles within `timeoutMs`. Rejects with the signal's reason. */
export async function endsBefore(call: Promise<unknown>, { signal, ref = true }: WaitOptions, timeoutMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort: (() => void) | undefined;
  const late = new Promise<boolean>((resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's, whatever it is
    onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    if (timeoutMs === Infinity) return;
    timer = setTimeout(() => resolve(false), Math.min(timeoutMs, 2 ** 31 - 1));
    if (!ref && typeof timer === 'object') timer.unref();
  });
  try {
    return await Promise.race([call.then(() => true, () => true), late]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}
