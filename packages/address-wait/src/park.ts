// Park and unpark (Java's LockSupport): each agent has at most one permit to go on. The permit is a word of the agent's
// record. The parked agent waits in the bucket of that word (line/chain-wait.ts of the core).
//
//   AGENT_PERMIT   the agent's own id: it has a permit · any other value: it has none
//
//   park:     take the permit, or push · try to take it again · sleep
//   unpark:   write the permit · detach the chain · wake its first
//
// A record may serve another agent after a death. Agent ids are never used again and only grow. So the permit is an id.
// An `unpark` for a dead agent never overwrites a higher id, which is a permit of the new agent.

import type { Arena, WaitOptions } from '@sluice/core';
import { AGENT_PERMIT, NEEDS_WALK } from '@sluice/core/format';
import { checkInteger, checkWait, NO_WAIT_OPTIONS, rejected, reserveStack } from '@sluice/core/calls';
import {
  awaitAtBucket,
  chosenArena,
  contextOf,
  retryOrThrow,
  recordOf,
  waitAtBucket,
  type AgentContext,
  type BucketSpot,
} from '@sluice/core/internal';
import { bucketAt } from './key.ts';
import { deadlineOf } from './waits.ts';

const MAX_ID = 2 ** 31 - 1;

/** The place at which an agent parks. */
export type Lot = Pick<BucketSpot, 'context' | 'policy'>;

/**
 * Blocks until the calling agent has a permit, and takes the permit. Returns true, or false if `timeoutMs` elapsed.
 * `unpark` gives the permit, before this call or during it.
 *
 * ```ts run
 * import { park, unpark } from '@sluice/address-wait';
 * import { Arena } from '@sluice/core';
 *
 * const arena = Arena.default();
 * unpark(arena, arena.agentId);
 * unpark(arena, arena.agentId); // an agent has at most one permit
 * console.log(park(arena), park(arena, 5)); // true false
 * ```
 *
 * @throws {TypeError} If an argument has the wrong type.
 * @throws {RangeError} If `timeoutMs` is out of range.
 * @throws {MisuseError} On a browser's main thread; use `parkAsync`. Also if this agent has left the arena.
 * @throws {ArenaFullError} If the arena has no room for the waiter.
 */
export function park(arena: Arena, timeoutMs = Infinity): boolean {
  return parkAt(lotOf(arena), timeoutMs);
}

/**
 * Parks as `park` does, without blocking; resolves when the permit is taken. Rejects with `TimeoutError`, with the
 * signal's reason, and with the errors of `park`. If it rejects, no permit was taken. While it waits it keeps the event
 * loop alive, unless `ref` is false.
 */
export async function parkAsync(arena: Arena, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
  try {
    const lot = lotOf(arena);
    const checked = checkWait(options);
    const what = { toString: () => `Agent ${lot.context.id}: no permit to go on came` };
    await awaitAtBucket(spotIn(lot), takePermit(lot.context), checked, what);
  } catch (failure) {
    await rejected(failure);
  }
}

/**
 * Gives the agent with that id (`arena.agentId` of its thread) a permit, and wakes it if it is parked. Returns whether
 * the agent is in the arena. If the agent has a permit already, it keeps one.
 *
 * Any agent may call it at any time. It never blocks. After its `park`, the agent sees all earlier writes of the
 * caller.
 *
 * @throws {TypeError} If an argument has the wrong type.
 * @throws {RangeError} If `agentId` is out of range.
 * @throws {MisuseError} If the calling agent has left the arena.
 */
export function unpark(arena: Arena, agentId: number): boolean {
  checkInteger('The agent id', agentId, 1, MAX_ID);
  return unparkAt(lotOf(arena).context, agentId);
}

function lotOf(given: Arena): Lot {
  const arena = chosenArena(given);
  const context = contextOf(arena);
  context.checkNotLeft();
  return { context, policy: arena.policy };
}

/** Parks the agent of that context. For models, too. */
export function parkAt(lot: Lot, timeoutMs: number): boolean {
  const deadline = deadlineOf(lot.context, timeoutMs);
  return waitAtBucket(spotIn(lot), takePermit(lot.context), deadline);
}

/** Gives a permit to an agent, as the agent of that context. For models, too. */
export function unparkAt(context: AgentContext, id: number): boolean {
  const { words, kernel, agent } = context;
  const record = recordOf(context, id);
  if (record === 0) return false;
  reserveStack();
  const permit = record + AGENT_PERMIT;
  // Write the permit even if it is there already: the other agent must see this agent's earlier writes.
  for (let tries = 1; ; tries++) {
    const seen = words.load32(permit);
    if (seen > id) return false;
    if (words.cas32(permit, seen, id) === seen) break;
    retryOrThrow(tries);
  }
  // Lost wake-up, waker side: detach after the write. Pairs with `enterBucket` and the check after it in `waitAtBucket`
  // (core: line/chain-wait.ts), which tries to take the permit again.
  if (kernel.signalChain(agent, bucketAt(context, permit), 0) === NEEDS_WALK) context.finishWalk();
  return true;
}

function spotIn({ context, policy }: Lot): BucketSpot {
  return { context, bucket: bucketAt(context, context.agent + AGENT_PERMIT), policy };
}

/** Returns the condition of a parked agent: takes the permit, if there is one. */
function takePermit({ words, agent, id }: AgentContext): () => boolean {
  return () => words.cas32(agent + AGENT_PERMIT, id, 0) === id;
}
