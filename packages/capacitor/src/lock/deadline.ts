// One timeout for two waits in sequence: at the gate, then at the inner lock. A timeout of 0 stays 0, so that the
// second call does not wait either.

import { now } from '@sluice/core/calls';

/** Returns the end of a timeout on the clock of timeouts. 0 and `Infinity` stay as they are. */
export function endOf(timeoutMs: number): number {
  return timeoutMs === 0 || timeoutMs === Infinity ? timeoutMs : now() + timeoutMs;
}

/** Returns the ms left until `end`. */
export function timeoutUntil(end: number): number {
  return end === 0 || end === Infinity ? end : Math.max(0, end - now());
}
