// Waiters at a turnstile watch the agent whose turn it is. Only they can notice that it does not come back.

import type { AgentContext, ElementAddress, Patrol } from '@sluice/core/internal';
import { LEASE, PASSES } from './kernel/layout.ts';

/** Without a pass for this many ms, a waiter ends the turn of an agent that went out. Longer than a turn, or it would end live turns. */
const PATROL_MS = 1;

/**
 * Makes the check that a waiter repeats. An agent whose waits are all short also checks now and then, so the last observation and its
 * time are kept between waits. `evict` ends the turn.
 */
export function patrolOf({ words, parking, waiting }: AgentContext, turnstile: number, evict: () => void): Pick<Patrol, 'nap'> & { look(): void } {
  let lease = 0;
  let passes = 0;
  let since = 0;
  const look = (): void => {
    const leaseNow = words.load32(turnstile + LEASE);
    const passesNow = words.load32(turnstile + PASSES);
    const now = parking.now();
    if (leaseNow !== lease || passesNow !== passes) since = now;
    lease = leaseNow;
    passes = passesNow;
    if (lease !== 0 && now - since >= PATROL_MS) evict();
  };
  const nap = (element: ElementAddress): number => PATROL_MS * Math.max(1, waiting.distance(element));
  return { nap, look };
}
