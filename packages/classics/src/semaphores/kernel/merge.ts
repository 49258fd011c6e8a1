// Merges the tombstones of a line with its own chain. So cancelled waits need memory in proportion to the current
// waits.
//
// All tombstones of such a line hang in one chain. Until the agent that detached the chain walks it, no other agent
// changes a tombstone in it. So the agent merges neighbours while they hang in its record (../merge-tombstones.ts). The
// walk puts the rest back, with the check after the push, as after any post. If the agent dies, its recovery walks.
// During the merge a post may find the line without its chain. The post relies on that check.
//
// A merged tombstone has the first ticket and the permits of all its parts. A roll-back needs no record: an agent that
// takes back the ticket behind the tombstone finds the tombstone in the same chain. The tombstones of a lane are not
// merged, because each of them gets a permit of its own (multilane.ts).

import {
  asChain,
  DRAWN,
  BLOCK_TAG,
  COUNT,
  GATE,
  NEXT,
  OWN_CHAIN,
  SPENT,
  type AgentAddress,
  type ElementAddress,
  type LineAddress,
} from '@sluice/core/format';
import {
  detachOf,
  discard,
  get32,
  get64,
  setHazard,
  load32,
  minus,
  put32,
  put64,
  store32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';

/**
 * Detaches the chain of a line with its own chain, unless the line no longer has that tag. The walk follows.
 *
 * @takes The chain of a line with its own chain
 * @leaves The chain in the kind's area: `AGENT_CHAIN`; `AGENT_DUTY_KIND`
 * @death The kind's walk
 */
export function beginMerge(agent: AgentAddress, line: LineAddress, tag: i32): void {
  setHazard(agent, line);
  if (load32(line + BLOCK_TAG) === tag) detachOf(agent, line, asChain(line + OWN_CHAIN));
  clearHazard(agent);
}

/**
 * Merges two tombstones that are neighbours in line, in the chain that the agent detached. `gone` is right below
 * `above`, and somewhere below `kept`. Their permits fit in one word.
 *
 * @takes The permits of a tombstone in that chain, to its neighbour in line
 * @leaves The chain without it: `NEXT` of the element above; `DRAWN` and `COUNT` of the kept one; `GATE` SPENT and `OWNER`
 *   0 of the removed one
 * @death The kind's walk
 */
export function mergeNeighbours(above: ElementAddress, kept: ElementAddress, gone: ElementAddress): void {
  const ticket = get64(gone + DRAWN);
  // In this order: with `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
  put32(above + NEXT, get32(gone + NEXT));
  if (minus(ticket, get64(kept + DRAWN)) < wide(0)) put64(kept + DRAWN, ticket);
  put32(kept + COUNT, get32(kept + COUNT) + get32(gone + COUNT));
  store32(gone + GATE, SPENT);
  discard(gone);
}
