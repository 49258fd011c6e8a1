// Steps at a semaphore's own words: taking permits, drawing a ticket, giving permits back, closing.
// The protocol, the table of words and the proof are in ../semaphore.ts.

import { bucketOf, detach } from './chain.ts';
import { ahead, isGlobal, isOfFamily } from './family.ts';
import { guard, unguard } from './guard.ts';
import {
  AGENT_CHAIN,
  AGENT_POST_FROM,
  AGENT_POST_KEYS,
  AGENT_POST_SEM,
  AGENT_SPARE,
  AGENT_STUB,
  AT,
  BLOCK_TAG,
  CAPACITY,
  COUNT,
  RELEASED_FOR_OTHERS,
  ENTRY_SINCE,
  GATE,
  GRANT,
  HEADER_BUCKET_MASK,
  LIMIT,
  SEM,
  TAG,
  TICKET,
} from './layout.ts';
import { FREE, FULL, IDLE, QUEUED, RACED, SHUT, TAKEN, WAITING, NEEDS_WALK } from './states.ts';
import { add64, cas64, clamp, get32, get64, load32, load64, low32, minus, plus, put32, put64, store32, toNumber, wide } from './words.ts';

/** Instead of a number of permits: all of them were the agent's own. */
export const NOTED: i32 = -1;

/** Notes `count` permits as held by this agent; `entry` 0 = the semaphore keeps no record. */
export function credit(entry: i32, count: i64): void {
  if (entry === 0) return;
  put64(entry, plus(get64(entry), count));
  // Unconditional: a branch would cost more. Who had to wait writes the time afterwards.
  put64(entry + ENTRY_SINCE, wide(0));
}

/**
 * Notes `count` permits as given back, if the agent holds as many. Before they are given: with engine 'js' an agent may die
 * in between, and permits are rather lost than there twice.
 */
export function debit(entry: i32, count: i64): boolean {
  if (entry === 0) return true;
  const held = get64(entry);
  if (held < count) return false;
  put64(entry, minus(held, count));
  return true;
}

/**
 * An agent gives back `count` permits, more than the `own` that it holds. `grant`: as it was before. As far as others hold
 * permits, it gives back theirs (RELEASED_FOR_OTHERS): when they die, these are not given back again. The rest are new permits (CAPACITY).
 * Where it may be either it counts as theirs: a permit too few stops one waiter, a permit too many breaks what the semaphore
 * guards. Noted before they are given, or another release could take them for free ones that it knows nothing of. The
 * result: how many are others'.
 */
export function giveMore(sem: i32, entry: i32, count: i64, own: i64, grant: i64): i32 {
  put64(entry, wide(0));
  const there = minus(load64(sem + CAPACITY), own);
  const free = minus(grant, load64(sem + TICKET));
  const more = low32(minus(count, own));
  const theirs = free > wide(0) ? clamp(minus(there, free), more) : clamp(there, more);
  if (theirs > 0) add64(sem + RELEASED_FOR_OTHERS, wide(theirs));
  if (more > theirs) add64(sem + CAPACITY, wide(more - theirs));
  return theirs;
}

/**
 * Draws a ticket for `count` permits. TAKEN: admitted at once. An address: the agent's spare element, or its stub if it
 * has no spare, which holds the ticket now, QUEUED. SHUT: closed or freed.
 *
 * That there is a spare is not asked before: each load that is looked at before a locked instruction costs 1 to 2 ns
 * (docs/decisions/003-fetch-and-add-draws-the-ticket.md).
 */
export function acquire(sem: i32, tag: i32, entry: i32, count: i32, agent: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const want = wide(count);
  const ticket = add64(sem + TICKET, want);
  if (minus(load64(sem + GRANT), ticket) >= want) {
    credit(entry, want);
    return TAKEN;
  }
  return queue(agent, sem, tag, count, ticket);
}

/** A ticket was drawn: the agent's spare element holds it, or its stub if it has none. */
export function queue(agent: i32, sem: i32, tag: i32, count: i32, ticket: i64): i32 {
  const spare = get32(agent + AGENT_SPARE);
  const element = spare !== 0 ? spare : agent + AGENT_STUB;
  put32(agent + AGENT_SPARE, 0);
  put64(element + AT, ticket);
  put32(element + COUNT, count);
  put32(element + SEM, sem);
  put32(element + TAG, tag);
  put32(element + GATE, QUEUED);
  return element;
}

/** Moves the ticket in the stub to the agent's spare element, which may stand in line: its address. */
export function adopt(agent: i32): i32 {
  const stub = agent + AGENT_STUB;
  const sem = get32(stub + SEM);
  guard(agent, sem);
  store32(stub + GATE, FREE);
  const element = queue(agent, sem, get32(stub + TAG), get32(stub + COUNT), get64(stub + AT));
  unguard(agent);
  return element;
}

/** Takes `count` permits if they are free and nobody is in line for them: never barges. WAITING: they are not. */
export function tryAcquire(sem: i32, tag: i32, entry: i32, count: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const want = wide(count);
  const ticket = load64(sem + TICKET);
  if (minus(load64(sem + GRANT), ticket) < want) return WAITING;
  if (cas64(sem + TICKET, ticket, plus(ticket, want)) !== ticket) return RACED;
  credit(entry, want);
  return TAKEN;
}

/** Takes every free permit: how many, or RACED or SHUT. */
export function drain(sem: i32, tag: i32, entry: i32): f64 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const ticket = load64(sem + TICKET);
  const grant = load64(sem + GRANT);
  const free = minus(grant, ticket);
  if (free <= wide(0)) return 0;
  if (cas64(sem + TICKET, ticket, grant) !== ticket) return RACED;
  credit(entry, free);
  return toNumber(free);
}

/** `grant - ticket`: free permits, or less than 0 while agents are in line. */
export function balance(sem: i32): f64 {
  return toNumber(minus(load64(sem + GRANT), load64(sem + TICKET)));
}

/**
 * Records that the keys from `from` on are to be announced: `count` of them, but none that nobody has drawn (`ticket`),
 * and not more than there are buckets, since as many consecutive keys visit each bucket once.
 */
export function beginPost(agent: i32, sem: i32, from: i64, ticket: i64, count: i32): void {
  const buckets = get32(HEADER_BUCKET_MASK) + 1;
  put64(agent + AGENT_POST_FROM, from);
  put32(agent + AGENT_POST_KEYS, isGlobal(sem) ? 1 : clamp(minus(ticket, from), count < buckets ? count : buckets));
  put32(agent + AGENT_POST_SEM, sem);
}

/** The end of a release when agents may be in line: `grant` was raised by `count` from `from`. */
export function announce(sem: i32, agent: i32, from: i64, count: i32): i32 {
  if (isOfFamily(sem)) {
    beginPost(agent, sem, from, load64(sem + TICKET), count + ahead(sem));
    return NEEDS_WALK;
  }
  if (count === 1) {
    detach(agent, bucketOf(sem, from));
    return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
  }
  beginPost(agent, sem, from, load64(sem + TICKET), count);
  return NEEDS_WALK;
}

/**
 * Gives `count` permits back. IDLE: done. NEEDS_WALK: agents wait, call `walk` until it is idle. FULL, RACED: only with a
 * bound. One step for both kinds of semaphore, so that the engine sees one target at each call.
 */
export function release(sem: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  if (get32(sem + LIMIT) !== 0) return releaseBounded(sem, agent, entry, count);
  const more = wide(count);
  if (!debit(entry, more)) giveMore(sem, entry, more, get64(entry), load64(sem + GRANT));
  const grant = add64(sem + GRANT, more);
  // After the add, never before it: a waiter draws its ticket and then looks at `grant`, so one of the two sees the
  // other (semaphore.ts, release).
  return minus(load64(sem + TICKET), grant) <= wide(0) ? IDLE : announce(sem, agent, grant, count);
}

/** As `release`, without a look at who may be in line: the next keys are told in any case. Without a bound only. */
export function releaseBlindly(sem: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const more = wide(count);
  if (!debit(entry, more)) giveMore(sem, entry, more, get64(entry), load64(sem + GRANT));
  const grant = add64(sem + GRANT, more);
  const keys = count + ahead(sem);
  beginPost(agent, sem, grant, plus(grant, wide(keys)), keys);
  return NEEDS_WALK;
}

/** Refuses with FULL what would leave more than LIMIT permits free. */
function releaseBounded(sem: i32, agent: i32, entry: i32, count: i32): i32 {
  const more = wide(count);
  const grant = load64(sem + GRANT);
  if (plus(minus(grant, load64(sem + TICKET)), more) > wide(get32(sem + LIMIT))) return FULL;
  // Only read where there is an entry.
  const own = get64(entry === 0 ? sem : entry);
  const theirs = debit(entry, more) ? NOTED : giveMore(sem, entry, more, own, grant);
  if (cas64(sem + GRANT, grant, plus(grant, more)) !== grant) {
    if (entry !== 0) takeBack(sem, entry, more, own, theirs);
    return RACED;
  }
  // After the CAS, for the same reason as in `release`.
  return minus(load64(sem + TICKET), grant) <= wide(0) ? IDLE : announce(sem, agent, grant, count);
}

/** The release lost to another: everything is noted as before. */
export function takeBack(sem: i32, entry: i32, count: i64, own: i64, theirs: i32): void {
  put64(entry, own);
  if (theirs === NOTED) return;
  const more = low32(minus(count, own));
  add64(sem + RELEASED_FOR_OTHERS, wide(-theirs));
  add64(sem + CAPACITY, wide(theirs - more));
}
