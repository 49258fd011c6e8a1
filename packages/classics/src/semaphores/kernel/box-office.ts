// Steps at a lightweight semaphore (Preshing): a box office in front of another semaphore of any kind, its bouncer.
// While permits are free, no agent enters the bouncer and no release touches it.
//
// The first line is the box office. The line behind it is the inner semaphore, with its own TICKET and GRANT, the
// FLAG_* of its scheme, and FLAG_INNER. The inner semaphore has no ledger and no bound of its own. Only the box office
// releases permits there. A close closes the box office first, and then the inner semaphore (`closeFront`).
//
//   word     value                                                   written by
//   GRANT    the count. n > 0: n permits are free                    takeAtBox: CAS -n · boxRelease +n
//            -n: n waiters have no permit yet                        enqueueAtBox -1 · cancelAtBox: CAS +1 · recovery
//   TICKET   always 0: code that reads the counters finds the count  no step
//
// RELEASED_FOR_OTHERS, CAPACITY and LIMIT of the box office are those of any semaphore.
//
//   count        an acquire                          a release of n
//   > 0          takes one here                      adds n
//   <= 0         counts itself, and waits inside     adds n, and releases min(n, -count) inside in the same step
//
// INVARIANTS
//
//   1. Counted agents that have neither a permit nor cancelled = max(0, -count) + permits released inside and not taken
//      there.
//   2. So while the count is 0 or more, each of these agents is promised a permit. An agent that takes a permit here
//      overtakes only agents that are already promised one.
//   3. One step counts an agent and draws its ticket inside, so the agent's element alone records both. One step counts
//      a release and releases inside. So no agent can die in between.
//   4. A waiter that cancels leaves the box office first, and only while the count is below 0. Otherwise a permit was
//      released for it, and it takes that permit with its ticket (lines.ts). A permit that reaches a waiter that is no
//      longer counted is passed on inside to the counted waiters.
//   5. Held permits are recorded for the box office alone.

import {
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  CANCELLED,
  GRANT,
  IDLE,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  type AgentAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type Uncount,
} from '@sluice/core/format';
import { add64, cas64, clamp, credit, load32, load64, minus, plus, wide } from '@sluice/core/kernel';
import { drawInside, releaseBy, waitAt, type Post, type ReleaseOrTell, type Tell } from '@sluice/semaphores/kernel';
import { announceAt, hasTokens, tellOfTokens } from './posts.ts';

/**
 * Takes one permit, or counts the agent and draws a ticket inside. Returns TAKEN, SHUT, or the agent's spare element,
 * which is then QUEUED. The agent must have a spare.
 *
 * @takes A free permit: `GRANT` - 1. Or a place: `GRANT` - 1, then a ticket inside (`TICKET` + 1), or no ticket with
 *   tokens
 * @leaves `ENTRY_HELD` + 1; or the ticket as in `acquire`, `LEAVING` 0
 * @death The permit is given back, or the wait is cancelled
 */
export function enqueueAtBox(box: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Draw {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  if (add64(box + GRANT, wide(-1)) > wide(0)) {
    credit(entry, wide(1));
    return TAKEN;
  }
  const inner = asLine(box + BLOCK_LINE);
  // Tokens have no tickets: every token inside belongs to a waiter.
  return hasTokens(inner) ? waitAt(inner, tag, agent, wide(0)) : drawInside(inner, tag, entry, agent);
}

class BoxPost implements Post {
  /** Releases inside the permits that belong to waiters. `before` is the earlier count. */
  tell(box: LineAddress, _tag: i32, agent: AgentAddress, before: i64, count: i32): Tell {
    // Lost wake-up, releasing side: count first, then release inside. Pairs with `enqueueAtBox`, which also counts
    // first and then draws a ticket inside. So each permit that is released inside is for an agent that has a ticket
    // there or is about to draw one.
    const given = clamp(minus(wide(0), before), count);
    if (given === 0) return IDLE;
    const inner = asLine(box + BLOCK_LINE);
    const grant = add64(inner + GRANT, wide(given));
    if (hasTokens(inner)) return tellOfTokens(agent, inner);
    return minus(load64(inner + TICKET), grant) <= wide(0) ? IDLE : announceAt(inner, agent, grant, given);
  }
}

const boxPost = /* @__PURE__ */ new BoxPost();

/**
 * Releases permits. Returns the results of `releaseBy`.
 *
 * @takes n permits: `GRANT` + n. If `GRANT` was -k, min(n, k) permits inside: `GRANT` of the inner semaphore
 * @leaves As `release`; the chain or keys of the inner semaphore
 * @death Walk
 */
export function boxRelease(
  box: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  return releaseBy(boxPost, box, tag, agent, entry, count);
}

/** Releases permits that a dead agent held. Run the walk. */
export function boxRestore(box: LineAddress, agent: AgentAddress, held: i64): void {
  const given = clamp(minus(wide(0), add64(box + GRANT, held)), clamp(held, 0x7fffffff));
  if (given === 0) return;
  const inner = asLine(box + BLOCK_LINE);
  announceAt(inner, agent, add64(inner + GRANT, wide(given)), given);
}

/**
 * Removes one waiter from the count. Returns TAKEN if a permit was released for it, and RACED if the caller must call
 * again.
 */
export function cancelAtBox(box: LineAddress): Uncount {
  const count = load64(box + GRANT);
  if (count >= wide(0)) return TAKEN;
  return cas64(box + GRANT, count, plus(count, wide(1))) === count ? CANCELLED : RACED;
}
