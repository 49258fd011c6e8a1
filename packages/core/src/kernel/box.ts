// Steps at a lightweight semaphore (Preshing): a box office in front of another semaphore of any kind, its bouncer. While permits are free,
// no agent enters the bouncer and no release touches it.
//
// The first line is the box office. The line behind it is the inner semaphore: its own TICKET and GRANT, the FLAG_* of its scheme and
// FLAG_INNER. The inner semaphore has no ledger and no bound of its own, and only the box office releases permits there.
//
//   word of the box office   value                                                   written by
//   GRANT     the count. n > 0: n permits are free · -n: n waiters have no permit yet  boxTake: CAS -n · enqueueAtBox -1 · boxRelease +n
//                                                                                      leave: CAS +1 · recovery
//   TICKET    always 0: code that reads the counters of a semaphore finds the count
//   RELEASED_FOR_OTHERS, CAPACITY, LIMIT as of any semaphore
//
//   count        an acquire                          a release of n
//   > 0          takes one here                      adds n
//   <= 0         counts itself, and waits inside     adds n, and releases min(n, -count) inside in the same step
//
// INVARIANTS
//
//   1. Agents that were counted and have neither got a permit nor cancelled = max(0, -count) + permits released inside and not taken there.
//   2. So when the count is 0 or more, each of these agents is promised a permit. An agent that finds permits here overtakes only agents
//      that are already promised one.
//   3. One step counts an agent and draws its ticket inside, so the agent's element alone records both. One step counts a release and
//      releases inside. No death can come in between.
//   4. A waiter that cancels leaves the box office first, and only while the count is below 0. Otherwise a permit was released for it, and
//      it takes that permit with its ticket (leave.ts). A permit that reaches a waiter that is no longer counted is passed on inside to the
//      counted waiters.
//   5. Held permits are recorded for the box office alone.

import { announce, credit, debit, giveMore, NOTED, queue, takeBack } from './admit.ts';
import { hasTokens, tellOfTokens } from './family.ts';
import { BLOCK_LINE, BLOCK_TAG, GRANT, LEAVING, LIMIT, TICKET } from './layout.ts';
import { FULL, IDLE, CANCELLED, RACED, SHUT, TAKEN } from './states.ts';
import { add64, cas64, clamp, get32, get64, load32, load64, minus, plus, put32, wide } from './words.ts';

/** Takes at most `most` free permits and returns their number, 0 if none is free. RACED, SHUT. */
export function boxTake(box: i32, tag: i32, entry: i32, most: i32): i32 {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  const count = load64(box + GRANT);
  const taken = clamp(count, most);
  if (taken === 0) return 0;
  if (cas64(box + GRANT, count, minus(count, wide(taken))) !== count) return RACED;
  credit(entry, wide(taken));
  return taken;
}

/**
 * Takes one permit, or counts the agent and draws a ticket inside. TAKEN, SHUT, or the agent's spare element, QUEUED. The agent must have a
 * spare.
 */
export function enqueueAtBox(box: i32, tag: i32, entry: i32, agent: i32): i32 {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  if (add64(box + GRANT, wide(-1)) > wide(0)) {
    credit(entry, wide(1));
    return TAKEN;
  }
  const inner = box + BLOCK_LINE;
  // Tokens have no tickets: every token inside is for a waiter.
  return hasTokens(inner) ? waitAt(inner, tag, agent, wide(0)) : drawInside(inner, tag, entry, agent);
}

function drawInside(inner: i32, tag: i32, entry: i32, agent: i32): i32 {
  const ticket = add64(inner + TICKET, wide(1));
  if (minus(load64(inner + GRANT), ticket) < wide(1)) return waitAt(inner, tag, agent, ticket);
  credit(entry, wide(1));
  return TAKEN;
}

function waitAt(inner: i32, tag: i32, agent: i32, ticket: i64): i32 {
  const element = queue(agent, inner, tag, 1, ticket);
  put32(element + LEAVING, 0);
  return element;
}

/** Releases permits. IDLE: done. NEEDS_WALK: run the walk. FULL, RACED: only with a bound. Otherwise a word to notify; then run the walk. */
export function boxRelease(box: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  if (get32(box + LIMIT) !== 0) return releaseBounded(box, agent, entry, count);
  const more = wide(count);
  if (!debit(entry, more)) giveMore(box, entry, more, get64(entry), load64(box + GRANT));
  // Lost wake-up, releasing side: count first, then release inside. A waiter also counts itself first. So each permit that is released
  // inside is for an agent that has a ticket there or is about to draw one.
  return letIn(box, agent, add64(box + GRANT, more), count);
}

function releaseBounded(box: i32, agent: i32, entry: i32, count: i32): i32 {
  const more = wide(count);
  const before = load64(box + GRANT);
  if (plus(before, more) > wide(get32(box + LIMIT))) return FULL;
  // Meaningful only if there is an entry.
  const own = get64(entry === 0 ? box : entry);
  const theirs = debit(entry, more) ? NOTED : giveMore(box, entry, more, own, before);
  if (cas64(box + GRANT, before, plus(before, more)) !== before) {
    if (entry !== 0) takeBack(box, entry, more, own, theirs);
    return RACED;
  }
  return letIn(box, agent, before, count);
}

/** The count was `before`, and `count` permits were added: releases inside the permits that are for waiters. */
function letIn(box: i32, agent: i32, before: i64, count: i32): i32 {
  const given = clamp(minus(wide(0), before), count);
  if (given === 0) return IDLE;
  const inner = box + BLOCK_LINE;
  const grant = add64(inner + GRANT, wide(given));
  if (hasTokens(inner)) return tellOfTokens(agent, inner);
  return minus(load64(inner + TICKET), grant) <= wide(0) ? IDLE : announce(inner, agent, grant, given);
}

/** Releases permits that a dead agent held. Run the walk. */
export function boxRestore(box: i32, agent: i32, held: i64): void {
  const given = clamp(minus(wide(0), add64(box + GRANT, held)), clamp(held, 0x7fffffff));
  if (given === 0) return;
  const inner = box + BLOCK_LINE;
  announce(inner, agent, add64(inner + GRANT, wide(given)), given);
}

/** Removes one waiter from the count. TAKEN: a permit was released for it. RACED: call again. */
export function cancelAtBox(box: i32): i32 {
  const count = load64(box + GRANT);
  if (count >= wide(0)) return TAKEN;
  return cas64(box + GRANT, count, plus(count, wide(1))) === count ? CANCELLED : RACED;
}
