// What every wait on a condition is asked for.

import { checkFunction, checkTimeout, mayBlock, refuseToBlock, type Seat } from '@sluice/core/internal';

/** Until when a wait may last, as a time of the seat's clock. Throws `TypeError`, `RangeError`; `MisuseError` where blocking is refused. */
export function deadlineOf(seat: Seat, timeoutMs: number): number {
  checkTimeout(timeoutMs);
  if (timeoutMs !== 0 && !mayBlock()) refuseToBlock();
  return timeoutMs === Infinity ? Infinity : seat.parking.now() + timeoutMs;
}

export function checkCondition(satisfied: unknown): void {
  checkFunction(satisfied);
}
