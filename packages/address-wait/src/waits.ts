// The checks that every wait on a condition begins with.

import { checkFunction, checkTimeout, isThenable, refuseToBlock, reportRejection } from '@sluice/core/calls';
import { deadlineIn, mayBlock, type AgentContext } from '@sluice/core/internal';

/**
 * Returns the deadline of a wait, as a time of the context's clock. Throws `TypeError` and `RangeError`, and
 * `MisuseError` on a thread that must not block.
 */
export function deadlineOf(context: AgentContext, timeoutMs: number): number {
  checkTimeout(timeoutMs);
  if (timeoutMs !== 0 && !mayBlock()) refuseToBlock();
  return deadlineIn(context.parking, timeoutMs);
}

/**
 * Returns the condition in a wrapper that throws `TypeError` if the condition returns a promise: a promise is always
 * truthy. Throws `TypeError` if `satisfied` is not a function.
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
