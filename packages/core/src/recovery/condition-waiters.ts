// Recovers a dead agent's waits on conditions, and the wake-ups that the agent may not have sent.

import { records } from '../memory/records.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { retryWhileRaced } from '../memory/retry.ts';
import {
  DRAWN,
  BUCKETS,
  BUCKET_SHIFT,
  GATE,
  HEADER_BUCKET_MASK,
  HEADER_ELEMENT_POOL,
  HEADER_TOP,
  HEADER_WATCHED,
} from '../kernel/layout.ts';
import { IDLE, SLEEPING, CANCELLED_LEFT_BEHIND, ON_WORD, WATCHING, WOKEN } from '../kernel/states.ts';
import { asBucket, type AgentAddress, type ElementAddress } from '../kernel/addresses.ts';

/** Whether an element with this gate waits, or waited, on a condition. */
export function isOnCondition(gate: number): boolean {
  return gate === WATCHING || gate === SLEEPING || gate === WOKEN || gate === ON_WORD;
}

/**
 * Ends a dead agent's wait. Returns `false` if its element stays in its chain, until the next waking agent removes it.
 */
export function abandonWatch(
  context: AgentContext,
  record: AgentAddress,
  element: ElementAddress,
  gate: number,
): boolean {
  const { kernel } = context;
  if (gate === ON_WORD) {
    notifyWord(context, element);
    kernel.wakeUp(element);
    return true;
  }
  const left = retryWhileRaced(() => kernel.leaveChain(record, element));
  context.finishWalk(record);
  return left !== CANCELLED_LEFT_BEHIND;
}

/**
 * Wakes all waiters on conditions, so that each checks its condition again. The dead agent may have changed a condition
 * and died before it notified the waiters. A waiter that checks later sees the change itself.
 */
export function wakeConditionWaiters(context: AgentContext, record: AgentAddress): void {
  const { words, kernel } = context;
  if (words.load32(HEADER_WATCHED) === 0) return;
  for (const { record: element, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (owner !== 0 && words.load32(element + GATE) === ON_WORD) notifyWord(context, element);
  }
  // Wake every bucket, even an empty one: a waiter that checked its condition and is about to enqueue compares the
  // bucket's counts and checks again.
  for (let index = words.get32(HEADER_BUCKET_MASK); index >= 0; index--) {
    const sleepers = kernel.wakeAllAt(record, asBucket(BUCKETS + (index << BUCKET_SHIFT)));
    if (sleepers !== IDLE) context.notify(sleepers);
    context.finishWalk(record);
  }
}

function notifyWord({ words, parking }: AgentContext, element: ElementAddress): void {
  const word = Number(words.get64(element + DRAWN));
  // The wait may be over, and DRAWN may by now hold another wait's ticket.
  if (word > 0 && word % 4 === 0 && word < words.load32(HEADER_TOP)) parking.notify(word);
}
