// Waiters at a turnstile look after the agent whose turn it is: nobody else notices when it does not come back.

import { LEASE, PASSES, type Patrol, type AgentContext } from '@sluice/core/internal';

/** A waiter that sees no pass in so long ends the turn of an agent that went out: longer than a turn, or it would end those that last. */
const PATROL_MS = 1;

/**
 * Those who never wait for long look now and then, too: so what was seen, and when, is kept from one wait to the next. `evict` ends
 * the turn.
 */
export function patrolOf({ words, parking }: AgentContext, turnstile: number, evict: () => void): Patrol {
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
  return { everyMs: PATROL_MS, look };
}
