// The purpose of a wait on a condition, which the waiter records in its element for reports (report/claims.ts).

import type { AgentContext } from '../agent/agent-context.ts';
import type { ElementAddress } from '../kernel/addresses.ts';
import { CLAIM_PERMITS, CLAIM_TAG, GATE, MODE, MODE_ASYNC, SINCE } from '../kernel/layout.ts';
import { FREE, LISTED } from '../kernel/states.ts';

/** The purpose of a wait: permits of a semaphore. */
export interface Claim {
  /** The tag of the semaphore. */
  readonly tag: number;
  /** The number of permits; 0 if a ticket states it. */
  readonly permits: number;
}

/** The value of `CLAIM_PERMITS` for a wait that is not for permits. */
const FOR_NO_PERMITS = -1;

/**
 * Records the purpose of a wait. `since`: when the wait began, in ms since 1970, if this element is not its first.
 * Default: now.
 */
export function noteClaim(
  { words, parking }: AgentContext,
  element: ElementAddress,
  claim: Claim | undefined,
  since = parking.date(),
): void {
  words.put32(element + CLAIM_PERMITS, claim?.permits ?? FOR_NO_PERMITS);
  words.put32(element + CLAIM_TAG, claim?.tag ?? 0);
  if (claim?.permits !== 0) words.put64(element + SINCE, BigInt(since));
}

/**
 * Makes an async wait visible to other agents, in an element that no agent wakes. End it with `withdrawAsyncWait`. Throws
 * `ArenaFullError`.
 */
export function publishAsyncWait(context: AgentContext, claim: Claim): ElementAddress {
  const element = context.takeElement(MODE_ASYNC);
  context.words.put32(element + MODE, MODE_ASYNC);
  noteClaim(context, element, claim);
  // Write this last: reports read the other words once the gate is LISTED.
  context.words.store32(element + GATE, LISTED);
  return element;
}

/** Ends what `publishAsyncWait` began, and keeps the element for reuse. */
export function withdrawAsyncWait(context: AgentContext, element: ElementAddress): void {
  context.words.store32(element + GATE, FREE);
  context.keep(element);
}
