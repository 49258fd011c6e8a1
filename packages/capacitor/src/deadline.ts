// One timeout for two waits in sequence.

import { now } from '@sluice/core/internal';

/** Returns the end of a timeout on the clock of timeouts. 0 and `Infinity` stay as they are. */
export function endOf(timeoutMs: number): number {
  return timeoutMs === 0 || timeoutMs === Infinity ? timeoutMs : now() + timeoutMs;
}

/** Returns the ms left until `end`. */
export function leftUntil(end: number): number {
  return end === 0 || end === Infinity ? end : Math.max(0, end - now());
}
