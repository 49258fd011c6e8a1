// What all waits on a condition check.

import {
  checkFunction,
  checkTimeout,
  isThenable,
  mayBlock,
  refuseToBlock,
  reportRejection,
  type AgentContext,
} from '@sluice/core/internal';

/**
 * The end of a wait, as a time of the context's clock. Throws `TypeError`, `RangeError`; `MisuseError` where blocking
 * is refused.
 */
export function deadlineOf(context: AgentContext, timeoutMs: number): number {
  checkTimeout(timeoutMs);
  if (timeoutMs !== 0 && !mayBlock()) refuseToBlock();
  return timeoutMs === Infinity ? Infinity : context.parking.now() + timeoutMs;
}

/**
 * Wraps the condition. Throws `TypeError` if it is not a function, and if it returns a promise, which would always be
 * truthy.
 */
export function checkCondition<T>(satisfied: () => T): () => T {
  checkFunction(satisfied);
  return () => {
    const seen = satisfied();
    if (!isThenable(seen)) return seen;
    reportRejection(seen, 'a condition');
    throw new TypeError('The condition must return synchronously: it returned a promise');
  };
}
