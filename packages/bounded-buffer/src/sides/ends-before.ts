// Waits for this agent's earlier calls, for at most the timeout of the wait itself.

import type { WaitOptions } from '@sluice/core';
import { offAbort, onAbort, reasonOf, setAlarm, throwIfAborted, type Alarm } from '@sluice/core/calls';

/** Resolves with whether `earlier` settles within `timeoutMs`. Rejects with the signal's reason. */
export async function endsBefore(
  earlier: Promise<void>,
  { signal, ref = true }: WaitOptions,
  timeoutMs: number,
): Promise<boolean> {
  // The signal may have been aborted before the listener below is added.
  throwIfAborted(signal);
  let alarm: Alarm | undefined;
  let abort = (): void => undefined;
  const late = new Promise<boolean>((resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's, whatever it is
    abort = () => reject(reasonOf(signal));
    onAbort(signal, abort);
    alarm = setAlarm(timeoutMs, () => resolve(false), ref);
  });
  try {
    return await Promise.race([earlier.then(() => true), late]);
  } finally {
    alarm?.stop();
    offAbort(signal, abort);
  }
}
