// Merges tombstones, so that cancelled waits need memory in proportion to the waits under way, not to their own number.
//
// An agent gathers the tombstones of all lines. It detaches bucket after bucket and visits the elements as any walk
// does, but it keeps the tombstones that it would put back. The code around it (../agent/compaction.ts) then merges
// each run of neighbouring tombstones, except the last one, into one tombstone, which has the first ticket and the
// permits of all. The last tombstone of the run stays as it is, and its MODE records how many permits are before it. So
// an agent that rolls back the ticket behind a run finds the last tombstone in its usual place, and from there the
// merged one. At a line with n waits under way, at most 2n + 2 tombstones remain.
//
// A gathered tombstone is ABANDONED and in the agent's record (AGENT_GATHERED). When the agent stops gathering, the
// walk puts it back, with the check after the push. If the agent dies, its recovery walks, so nothing is lost.
//
// The number in MODE may be out of date, because other agents merged further at the same time, or because another wait
// used the element. Then a tombstone that is last in line stays there until the line passes it or an agent gathers
// again. Service does not depend on it.

import { detach, discard } from './chain.ts';
import {
  AGENT_GATHER,
  AGENT_GATHERED,
  AGENT_IN_FLIGHT,
  BUCKETS,
  BUCKET_SHIFT,
  COUNT,
  GATE,
  NEXT,
  UP,
} from './layout.ts';
import { AGAIN, IDLE, SPENT } from './states.ts';
import { get32, put32, store32 } from './words.ts';
import type { AgentAddress, ElementAddress } from './addresses.ts';
import { asBucket, asElement } from './addresses.ts';

export function isGathering(agent: AgentAddress): boolean {
  return get32(agent + AGENT_GATHER) !== 0;
}

/** Does the last part of a walk: detaches the next bucket, or puts back the next gathered tombstone. */
export function nextToGather(agent: AgentAddress): typeof AGAIN | typeof IDLE {
  const left = get32(agent + AGENT_GATHER);
  if (left !== 0) {
    put32(agent + AGENT_GATHER, left - 1);
    if (left > 1) detach(agent, asBucket(BUCKETS + ((left - 2) << BUCKET_SHIFT)));
    return AGAIN;
  }
  const element = asElement(get32(agent + AGENT_GATHERED));
  if (element === 0) return IDLE;
  unlink(agent, element);
  put32(agent + AGENT_IN_FLIGHT, element);
  return AGAIN;
}

/** Moves the tombstone in flight to the list of gathered ones. */
export function gather(agent: AgentAddress, element: ElementAddress): typeof AGAIN {
  const first = get32(agent + AGENT_GATHERED);
  put32(agent + AGENT_IN_FLIGHT, 0);
  put32(element + NEXT, first);
  put32(element + UP, 0);
  // Keep this order: with `jsEngine` an agent may die in between, and `unlink` takes an element with no UP for the
  // first element of the list.
  put32(agent + AGENT_GATHERED, element);
  if (first !== 0) put32(first + UP, element);
  return AGAIN;
}

function unlink(agent: AgentAddress, element: ElementAddress): void {
  const next = get32(element + NEXT);
  const before = get32(element + UP);
  if (next !== 0) put32(next + UP, before);
  if (before !== 0) put32(before + NEXT, next);
  else put32(agent + AGENT_GATHERED, next);
}

/**
 * Merges two gathered tombstones: `next` stands right behind `element`, and their permits fit in one word.
 *
 * @takes The permits of a gathered tombstone, to the one before it in line
 * @leaves `AGENT_GATHERED` without it, `COUNT` of the other, its `GATE` SPENT and `OWNER` 0
 * @death Walk
 */
export function mergeTombstones(agent: AgentAddress, element: ElementAddress, next: ElementAddress): void {
  // Keep this order: with `jsEngine` an agent may die in between, and losing a permit is better than duplicating one.
  unlink(agent, next);
  put32(element + COUNT, get32(element + COUNT) + get32(next + COUNT));
  store32(next + GATE, SPENT);
  discard(next);
}
