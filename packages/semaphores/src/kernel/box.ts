// Steps at a lightweight semaphore (Preshing): a box office in front of another semaphore of any kind, its bouncer.
// While permits are free, no agent enters the bouncer and no release touches it.
//
// The first line is the box office. The line behind it is the inner semaphore: its own TICKET and GRANT, the FLAG_* of
// its scheme and FLAG_INNER. The inner semaphore has no ledger and no bound of its own, and only the box office
// releases permits there. A close closes the box office first, and then the inner semaphore (`closeFront`).
//
//   word of the box office   value                                                   written by
//   GRANT     the count. n > 0: n permits are free · -n: n waiters have no permit yet
//         boxTake: CAS -n · enqueueAtBox -1 · boxRelease +n cancelAtBox: CAS +1 · recovery
//   TICKET    always 0: code that reads the counters of a semaphore finds the count
//   RELEASED_FOR_OTHERS, CAPACITY, LIMIT as of any semaphore
//
//   count        an acquire                          a release of n
//   > 0          takes one here                      adds n
//   <= 0         counts itself, and waits inside     adds n, and releases min(n, -count) inside in the same step
//
// INVARIANTS
//
//   1. Agents that were counted and have neither got a permit nor cancelled = max(0, -count) + permits released inside
//      and not taken there.
//   2. So when the count is 0 or more, each of these agents is promised a permit. An agent that finds permits here
//      overtakes only agents that are already promised one.
//   3. One step counts an agent and draws its ticket inside, so the agent's element alone records both. One step counts
//      a release and releases inside. No death can come in between.
//   4. A waiter that cancels leaves the box office first, and only while the count is below 0. Otherwise a permit was
//      released for it, and it takes that permit with its ticket (lines.ts). A permit that reaches a waiter that is no
//      longer counted is passed on inside to the counted waiters.
//   5. Held permits are recorded for the box office alone.

import {
  add64,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  CANCELLED,
  cas64,
  clamp,
  credit,
  GRANT,
  IDLE,
  LEAVING,
  load32,
  load64,
  minus,
  plus,
  put32,
  queue,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  wide,
  type AgentAddress,
  type Draw,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Uncount,
} from '@sluice/core/kernel';
import { announceAt, hasTokens, tellOfTokens } from './family.ts';
import { releaseBy, type Post, type ReleaseOrTell, type Tell } from './release.ts';

/**
 * Takes at most `most` free permits and returns their number, 0 if none is free. RACED, SHUT.
 *
 * @takes Free permits of a lightweight semaphore, up to so many: `GRANT` (its count) less as many by CAS
 * @leaves `ENTRY_HELD` + as many
 * @death Given back
 */
export function boxTake(box: LineAddress, tag: i32, entry: EntryAddress, most: i32): i32 {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  const count = load64(box + GRANT);
  const taken = clamp(count, most);
  if (taken === 0) return 0;
  if (cas64(box + GRANT, count, minus(count, wide(taken))) !== count) return RACED;
  credit(entry, wide(taken));
  return taken;
}

/**
 * Takes one permit, or counts the agent and draws a ticket inside. TAKEN, SHUT, or the agent's spare element, QUEUED.
 * The agent must have a spare.
 *
 * @takes A free permit: `GRANT` - 1; or the same as a place, then a ticket inside: `TICKET` + 1 there, none where there
 *   are tokens
 * @leaves `ENTRY_HELD` + 1; or the ticket as in `acquire`, `LEAVING` 0
 * @death Given back; or cancelled
 */
export function enqueueAtBox(box: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Draw {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  if (add64(box + GRANT, wide(-1)) > wide(0)) {
    credit(entry, wide(1));
    return TAKEN;
  }
  const inner = asLine(box + BLOCK_LINE);
  // Tokens have no tickets: every token inside is for a waiter.
  return hasTokens(inner) ? waitAt(inner, tag, agent, wide(0)) : drawInside(inner, tag, entry, agent);
}

/**
 * Draws a ticket inside, for an agent that the box office has counted: TAKEN if its permit is there, or the agent's
 * spare element, QUEUED.
 */
export function drawInside(inner: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Draw {
  const ticket = add64(inner + TICKET, wide(1));
  if (minus(load64(inner + GRANT), ticket) < wide(1)) return waitAt(inner, tag, agent, ticket);
  credit(entry, wide(1));
  return TAKEN;
}

function waitAt(inner: LineAddress, tag: i32, agent: AgentAddress, ticket: i64): ElementAddress {
  const element = queue(agent, inner, tag, 1, ticket);
  put32(element + LEAVING, 0);
  return element;
}

class BoxPost implements Post {
  /** Releases inside the permits that are for waiters: the count was `before`. */
  tell(box: LineAddress, _tag: i32, agent: AgentAddress, before: i64, count: i32): Tell {
    // Lost wake-up, releasing side: count first, then release inside. A waiter also counts itself first. So each permit
    // that is released inside is for an agent that has a ticket there or is about to draw one.
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
 * Releases permits. Results as of `releaseBy`.
 *
 * @takes n permits: `GRANT` + n; as far as it was below 0, that many inside: `GRANT` there
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

/** Removes one waiter from the count. TAKEN: a permit was released for it. RACED: call again. */
export function cancelAtBox(box: LineAddress): Uncount {
  const count = load64(box + GRANT);
  if (count >= wide(0)) return TAKEN;
  return cas64(box + GRANT, count, plus(count, wide(1))) === count ? CANCELLED : RACED;
}
