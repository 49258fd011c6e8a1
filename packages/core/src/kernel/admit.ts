// Steps at a semaphore's own words: taking permits, drawing a ticket, giving permits back, closing.
// The protocol, the table of words and the proof are in ../semaphore.ts.

import { bucketOf, detach } from './chain.ts';
import {
  AGENT_CHAIN,
  AGENT_POST_FROM,
  AGENT_POST_SEM,
  AGENT_POST_TO,
  AT,
  BLOCK_TAG,
  COUNT,
  DEBT,
  ENTRY_SINCE,
  GATE,
  GRANT,
  HEADER_BUCKET_MASK,
  LIMIT,
  SEM,
  TAG,
  TICKET,
} from './layout.ts';
import { BARE, FULL, IDLE, QUEUED, RACED, SHUT, TAKEN, WAITING, WALK } from './states.ts';
import { add64, cas64, get32, get64, load32, load64, minus, plus, put32, put64, toNumber, wide } from './words.ts';

/** Notes `count` permits as held by this agent; `entry` 0 = the semaphore keeps no record. */
export function credit(entry: i32, count: i64): void {
  if (entry === 0) return;
  const held = get64(entry);
  if (held === wide(0)) put64(entry + ENTRY_SINCE, wide(0));
  put64(entry, plus(held, count));
}

/** Notes `count` permits as given back. What this agent did not hold was taken by another: the debt says so. */
function debit(sem: i32, entry: i32, count: i64): void {
  if (entry === 0) return;
  const held = get64(entry);
  if (held >= count) {
    put64(entry, minus(held, count));
  } else {
    put64(entry, wide(0));
    add64(sem + DEBT, minus(count, held));
  }
}

/**
 * Draws a ticket for `count` permits. TAKEN: admitted at once. WAITING: `element` holds the ticket, QUEUED.
 * BARE: no permit was free and `element` is 0. SHUT: closed or freed.
 */
export function acquire(sem: i32, tag: i32, entry: i32, count: i32, element: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  if (element === 0) return BARE;
  const want = wide(count);
  const ticket = add64(sem + TICKET, want);
  if (minus(load64(sem + GRANT), ticket) >= want) {
    credit(entry, want);
    return TAKEN;
  }
  put64(element + AT, ticket);
  put32(element + COUNT, count);
  put32(element + SEM, sem);
  put32(element + TAG, tag);
  put32(element + GATE, QUEUED);
  return WAITING;
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

/** Records that the keys `[from, from + count)` are to be announced; keys nobody has drawn need no visit. */
export function beginPost(agent: i32, sem: i32, from: i64, ticket: i64, count: i64): void {
  // As many consecutive keys as there are buckets visit each bucket once.
  const buckets = wide(get32(HEADER_BUCKET_MASK) + 1);
  let keys = minus(ticket, from);
  if (keys > count) keys = count;
  if (keys > buckets) keys = buckets;
  put64(agent + AGENT_POST_FROM, from);
  put64(agent + AGENT_POST_TO, plus(from, keys));
  put32(agent + AGENT_POST_SEM, sem);
}

/** The end of both releases: `grant` was raised by `count` from `from`. */
function announce(sem: i32, agent: i32, entry: i32, from: i64, count: i64): i32 {
  debit(sem, entry, count);
  // After the add, never before it: a waiter draws its ticket and then looks at `grant`, so one of the two sees the
  // other (semaphore.ts, release).
  const ticket = load64(sem + TICKET);
  if (minus(ticket, from) <= wide(0)) return IDLE;
  if (count === wide(1)) {
    detach(agent, bucketOf(sem, from));
    return get32(agent + AGENT_CHAIN) === 0 ? IDLE : WALK;
  }
  beginPost(agent, sem, from, ticket, count);
  return WALK;
}

/** Gives `count` permits back. IDLE: done. WALK: agents wait, call `walk` until it is idle. */
export function release(sem: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const more = wide(count);
  return announce(sem, agent, entry, add64(sem + GRANT, more), more);
}

/** As `release`, refusing with FULL what would leave more than LIMIT permits free. */
export function releaseBounded(sem: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const more = wide(count);
  const grant = load64(sem + GRANT);
  if (plus(minus(grant, load64(sem + TICKET)), more) > wide(get32(sem + LIMIT))) return FULL;
  if (cas64(sem + GRANT, grant, plus(grant, more)) !== grant) return RACED;
  return announce(sem, agent, entry, grant, more);
}
