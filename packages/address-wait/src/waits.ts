// Checks that all waits on a condition share.

import {
  checkFunction,
  checkTimeout,
  deadlineIn,
  isThenable,
  mayBlock,
  refuseToBlock,
  reportRejection,
  type AgentContext,
} from '@sluice/core/internal';

/**
 * Returns the end of a wait, as a time of the context's clock. Throws `TypeError` and `RangeError`, and `MisuseError`
 * on a thread that must not block.
 */
export function deadlineOf(context: AgentContext, timeoutMs: number): number {
  checkTimeout(timeoutMs);
  if (timeoutMs !== 0 && !mayBlock()) refuseToBlock();
  return deadlineIn(context.parking, timeoutMs);
}

/**
 * Wraps the condition. Throws `TypeError` if it is not a function, or if it returns a promise, which would always be
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
