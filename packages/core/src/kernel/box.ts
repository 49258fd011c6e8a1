// Steps at a lightweight semaphore (Preshing): a box office in front of another semaphore, its bouncer, of whatever kind. As long as
// permits are free nobody comes to the bouncer, and nobody who gives permits back looks at it.
//
// The first line is the box office. The line behind is the inner semaphore: its own TICKET and GRANT, the FLAG_* of its scheme and
// FLAG_INNER. It has no ledger and no bound of its own, and only the box office gives permits there.
//
//   word of the box office   value                                                          written by
//   GRANT     the count. n > 0: permits free · -n: so many wait that nothing was given for   boxTake: CAS -n · enqueueAtBox -1 · boxRelease +n
//                                                                                            leave: CAS +1 · recovery
//   TICKET    0, always: what reads the counters of a semaphore finds the count
//   RELEASED_FOR_OTHERS, CAPACITY, LIMIT as of any semaphore
//
//   count        an acquire                          a release of n
//   > 0          takes one here                      adds n
//   <= 0         counts itself, and waits inside     adds n, and gives min(n, -count) inside in the same step
//
// INVARIANTS
//
//   1. Who was counted and neither got a permit nor left = max(0, -count) + permits given inside and not taken there.
//   2. So when the count is 0 or more each of them is promised a permit. Who finds permits here overtakes nobody but those.
//   3. One step counts an agent and draws its ticket inside, so its element alone says both; and one step counts a release and gives
//      inside. No death comes in between.
//   4. Who gives up leaves the box office first, and only while the count is below 0. Else a permit was given for it, and it takes it
//      with its ticket (leave.ts). A permit that reaches it when it is counted no more goes on inside, to those who are.
//   5. Who holds permits is noted for the box office alone.

import { announce, credit, debit, giveMore, NOTED, queue, takeBack } from './admit.ts';
import { hasTokens, tellOfTokens } from './family.ts';
import { BLOCK_LINE, BLOCK_TAG, GRANT, LEAVING, LIMIT, TICKET } from './layout.ts';
import { FULL, IDLE, CANCELLED, RACED, SHUT, TAKEN } from './states.ts';
import { add64, cas64, clamp, get32, get64, load32, load64, minus, plus, put32, wide } from './words.ts';

/** Takes free permits, up to `most`: how many, 0 when none is free. RACED, SHUT. */
export function boxTake(box: i32, tag: i32, entry: i32, most: i32): i32 {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  const count = load64(box + GRANT);
  const taken = clamp(count, most);
  if (taken === 0) return 0;
  if (cas64(box + GRANT, count, minus(count, wide(taken))) !== count) return RACED;
  credit(entry, wide(taken));
  return taken;
}

/** Takes one, or is counted and draws a ticket inside: TAKEN, SHUT, or the agent's spare element, QUEUED: it must have one. */
export function enqueueAtBox(box: i32, tag: i32, entry: i32, agent: i32): i32 {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  if (add64(box + GRANT, wide(-1)) > wide(0)) {
    credit(entry, wide(1));
    return TAKEN;
  }
  const inner = box + BLOCK_LINE;
  // Tokens have no tickets: whatever is there is for who waits.
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

/** Gives permits back. IDLE: done. NEEDS_WALK: run the walk. FULL, RACED: only with a bound. Else a word to notify; then run the walk. */
export function boxRelease(box: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  if (load32(box + BLOCK_TAG) !== tag) return SHUT;
  if (get32(box + LIMIT) !== 0) return releaseBounded(box, agent, entry, count);
  const more = wide(count);
  if (!debit(entry, more)) giveMore(box, entry, more, get64(entry), load64(box + GRANT));
  // No lost wake-up, this end: counted first, then given inside. Who comes to wait is counted first, too: so each permit that is given
  // inside is for somebody who has a ticket there or is about to draw one.
  return letIn(box, agent, add64(box + GRANT, more), count);
}

function releaseBounded(box: i32, agent: i32, entry: i32, count: i32): i32 {
  const more = wide(count);
  const before = load64(box + GRANT);
  if (plus(before, more) > wide(get32(box + LIMIT))) return FULL;
  // Only read where there is an entry.
  const own = get64(entry === 0 ? box : entry);
  const theirs = debit(entry, more) ? NOTED : giveMore(box, entry, more, own, before);
  if (cas64(box + GRANT, before, plus(before, more)) !== before) {
    if (entry !== 0) takeBack(box, entry, more, own, theirs);
    return RACED;
  }
  return letIn(box, agent, before, count);
}

/** The count was `before`, and `count` more are there: gives inside what is for those who wait. */
function letIn(box: i32, agent: i32, before: i64, count: i32): i32 {
  const given = clamp(minus(wide(0), before), count);
  if (given === 0) return IDLE;
  const inner = box + BLOCK_LINE;
  const grant = add64(inner + GRANT, wide(given));
  if (hasTokens(inner)) return tellOfTokens(agent, inner);
  return minus(load64(inner + TICKET), grant) <= wide(0) ? IDLE : announce(inner, agent, grant, given);
}

/** Gives permits back that a dead agent held. Run the walk. */
export function boxRestore(box: i32, agent: i32, held: i64): void {
  const given = clamp(minus(wide(0), add64(box + GRANT, held)), clamp(held, 0x7fffffff));
  if (given === 0) return;
  const inner = box + BLOCK_LINE;
  announce(inner, agent, add64(inner + GRANT, wide(given)), given);
}

/** One waiter less. TAKEN: a permit was given for it. RACED: call again. */
export function cancelAtBox(box: i32): i32 {
  const count = load64(box + GRANT);
  if (count >= wide(0)) return TAKEN;
  return cas64(box + GRANT, count, plus(count, wide(1))) === count ? CANCELLED : RACED;
}
