// What every wait on a condition is asked for.

import { checkFunction, checkTimeout, isThenable, mayBlock, refuseToBlock, reportRejection, type AgentContext } from '@sluice/core/internal';

/** Until when a wait may last, as a time of the context's clock. Throws `TypeError`, `RangeError`; `MisuseError` where blocking is refused. */
export function deadlineOf(context: AgentContext, timeoutMs: number): number {
  checkTimeout(timeoutMs);
  if (timeoutMs !== 0 && !mayBlock()) refuseToBlock();
  return timeoutMs === Infinity ? Infinity : context.parking.now() + timeoutMs;
}

/** The condition, refused if it is no function; and when it returns a promise, which is truthy whatever becomes of it. */
export function checkCondition<T>(satisfied: () => T): () => T {
  checkFunction(satisfied);
  return () => {
    const seen = satisfied();
    if (!isThenable(seen)) return seen;
    reportRejection(seen, 'a condition');
    throw new TypeError('The condition must return synchronously: it returned a promise');
  };
}
