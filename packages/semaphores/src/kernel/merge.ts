// Merges the tombstones of a line with its own chain. So cancelled waits need memory in proportion to the waits under
// way.
//
// All tombstones of such a line hang in one chain. Until the agent that detached the chain walks it, no other agent
// changes a tombstone in it. So the agent merges neighbours while they hang in its record (../merge-tombstones.ts). The
// walk puts the rest back, with the check after the push, as after any post. If the agent dies, its recovery walks.
// Meanwhile a post may find the line without its chain: it relies on that check.
//
// A merged tombstone has the first ticket and the permits of all. It needs no note for a roll-back: an agent that takes
// back the ticket behind it finds it in the same chain. In a lane each tombstone has a permit of its own to come
// (multilane.ts), so it has no neighbour.

import {
  asChain,
  AT,
  BLOCK_TAG,
  COUNT,
  detachOf,
  discard,
  GATE,
  get32,
  get64,
  guard,
  load32,
  minus,
  NEXT,
  OWN_CHAIN,
  put32,
  put64,
  SPENT,
  store32,
  unguard,
  wide,
  type AgentAddress,
  type ElementAddress,
  type LineAddress,
} from '@sluice/core/kernel';

/**
 * Detaches the chain of a line with its own chain, unless the line no longer has that tag. The walk follows.
 *
 * @takes The chain of a line with its own chain (`@sluice/semaphores`)
 * @leaves The chain in the kind's area: `AGENT_CHAIN`; `AGENT_DUTY_KIND`
 * @death The kind's walk
 */
export function beginMerge(agent: AgentAddress, line: LineAddress, tag: i32): void {
  guard(agent, line);
  if (load32(line + BLOCK_TAG) === tag) detachOf(agent, line, asChain(line + OWN_CHAIN));
  unguard(agent);
}

/**
 * Merges two tombstones that are neighbours in line, in the chain that the agent detached. `gone`: hangs right below
 * `above`, and anywhere below `kept`. Their permits fit in one word.
 *
 * @takes The permits of a tombstone in that chain, to its neighbour in line
 * @leaves The chain without it: `NEXT` of the one above; `AT` and `COUNT` of the other, its `GATE` SPENT and `OWNER` 0
 * @death The kind's walk
 */
export function mergeNeighbours(above: ElementAddress, kept: ElementAddress, gone: ElementAddress): void {
  const ticket = get64(gone + AT);
  // In this order: with `jsEngine` an agent may die in between, and losing a permit is better than duplicating one.
  put32(above + NEXT, get32(gone + NEXT));
  if (minus(ticket, get64(kept + AT)) < wide(0)) put64(kept + AT, ticket);
  put32(kept + COUNT, get32(kept + COUNT) + get32(gone + COUNT));
  store32(gone + GATE, SPENT);
  discard(gone);
}
