// One timeout for two waits together.

import { now } from '@sluice/core/internal';

/** The end of a timeout on the clock of timeouts; 0 and `Infinity` stay as they are. */
export function endOf(timeoutMs: number): number {
  return timeoutMs === 0 || timeoutMs === Infinity ? timeoutMs : now() + timeoutMs;
}

/** The ms left until `end`. */
export function leftUntil(end: number): number {
  return end === 0 || end === Infinity ? end : Math.max(0, end - now());
}
