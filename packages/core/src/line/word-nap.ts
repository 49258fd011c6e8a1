// Short sleeps of the owner of a lock, on a word of the data that the lock protects, until a time or until the word
// changes. Reports and recovery know the agent as the owner of the lock, so it needs no element.

import type { AgentContext } from '../agent/agent-context.ts';
import { offAbort, onAbort } from '../api/on-abort.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { setAlarm } from '../platform/alarm.ts';

/**
 * The longest nap in ms. Then the agent looks at the data again: an agent that dies between a change and its wake-up
 * delays the sleeping agent by no more than that.
 */
const LONGEST_NAP_MS = 1000;

/** Blocks while the word is `expected`, for at most `ms`. May return earlier. */
export function napOnWord({ parking }: AgentContext, address: number, expected: number, ms: number): void {
  parking.wait(address, expected, Math.min(ms, LONGEST_NAP_MS));
}

/**
 * Resolves when the word is notified, after `ms`, or when the signal is aborted, whichever comes first. May resolve
 * earlier. Only one agent at a time may sleep on the word.
 */
export async function napOnWordAsync(
  { parking }: AgentContext,
  address: number,
  expected: number,
  ms: number,
  { signal, ref = true }: WaitOptions,
): Promise<void> {
  const notified = parking.waitAsync(address, expected);
  if (notified === undefined) return;
  await new Promise<void>((resolve) => {
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      alarm?.stop();
      offAbort(signal, end);
      // The platform cannot cancel a waitAsync. Notify it, so that the engine does not keep it forever.
      parking.notify(address);
      resolve();
    };
    const alarm = setAlarm(Math.min(ms, LONGEST_NAP_MS), end, ref);
    onAbort(signal, end);
    void notified.then(end);
  });
}
