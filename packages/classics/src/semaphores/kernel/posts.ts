// The semaphores of the family have the counters of every semaphore (core: admit.ts), and wait in other ways. This file
// has their posts, which wake the waiters. The code around the kernel has the waits of the listings.
//
//   flag                             the waiters wait                          what a post does
//   FLAG_GLOBAL      (Listing 1)     on GRANT                                  notifies all
//   FLAG_ARRAY       (Listing 2)     on UPDATES of the ticket's bucket,        counts an update there, and for the next
//                                    or the first of them in CHAIN             NEAR_TICKETS; wakes that chain
//   FLAG_CHAINED     (Listing 3)     in CHAIN of the ticket's bucket           wakes that chain
//   FLAG_MONITORED   (Listing 4)     there                                     counts in SEQUENCE, wakes that chain
//   FLAG_PLACED      (Listing 5)     in SLOT of the ticket's bucket            wakes that chain
//   FLAG_TOKENS      (Chen)          on GRANT, for tokens and without tickets  notifies one, or all
//
// Async waits are always in CHAIN. With FLAG_GLOBAL and FLAG_TOKENS, this is the CHAIN of GRANT's own bucket.
//
// An element holds a ticket and is QUEUED as long as it waits. The papers have no way to cancel a ticket. Here the
// element becomes a tombstone in the line's own chain, as at the core's semaphore. Every post that finds a waiter in
// line walks that chain (walk.ts).

import {
  AGAIN,
  AGENT_DUTY_KIND,
  AGENT_POST_FROM,
  AGENT_POST_KEYS,
  AGENT_POST_LINE,
  asArea,
  asChain,
  BLOCK_TAG,
  CHAIN,
  FLAGS,
  FLAG_OWN_CHAIN,
  GRANT,
  HEADER_BUCKET_MASK,
  IDLE,
  KIND_AREA,
  LEAVING,
  NEEDS_WALK,
  OWN_CHAIN,
  RACED,
  SHUT,
  TICKET,
  type AgentAddress,
  type AreaAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type NotifyAddress,
  type Wake,
  type BlockAddress,
} from '@sluice/core/format';
import {
  acquire,
  add64,
  announce,
  beginPost,
  bucketOf,
  cas32,
  cas64,
  clamp,
  close,
  debit,
  detachOf,
  get32,
  get64,
  giveMore,
  load32,
  load64,
  minus,
  plus,
  put32,
  put64,
  signalChain,
  signalKey,
  signalSlot,
  update,
  wide,
  wordToNotify,
} from '@sluice/core/kernel';
import { releaseBy, type Post, type ReleaseOrTell, type Tell } from '@sluice/semaphores/kernel';
import {
  FLAG_ARRAY,
  FLAG_CHAINED,
  FLAG_GLOBAL,
  FLAG_MONITORED,
  FLAG_PLACED,
  FLAG_TAKEN_BACK,
  FLAG_TOKENS,
  GRANT_SLEEPERS,
  KIND_SEMA,
  NEAR_TICKETS,
  THRESHOLD_MASK,
} from './layout.ts';
import { slotOf } from './hash.ts';

const FAMILY: i32 = FLAG_GLOBAL | FLAG_ARRAY | FLAG_CHAINED | FLAG_MONITORED | FLAG_PLACED | FLAG_TOKENS;

export function isOfFamily(line: LineAddress): boolean {
  return (get32(line + FLAGS) & FAMILY) !== 0;
}

/** Whether all waiters wait at one place, independent of their tickets. */
function isGlobal(line: LineAddress): boolean {
  return (get32(line + FLAGS) & (FLAG_GLOBAL | FLAG_TOKENS)) !== 0;
}

/** Returns the number of further tickets that a post notifies: the `LongTermThreshold` of Listing 2. */
export function ahead(line: LineAddress): i32 {
  return (get32(line + FLAGS) & FLAG_ARRAY) !== 0 ? get32(line + NEAR_TICKETS) & THRESHOLD_MASK : 0;
}

/**
 * Acquires permits as the core's `acquire` does. A waiter that cancels gives up its ticket, as at the core's semaphore
 * (core: `keepsTicket`).
 *
 * @takes A ticket, as `acquire`
 * @leaves As `acquire`; `LEAVING` 1: a cancelled waiter gives up its ticket
 * @death The permits are given back, or the wait is cancelled
 */
export function acquireTicket(line: LineAddress, tag: i32, entry: EntryAddress, count: i32, agent: AgentAddress): Draw {
  const drawn = acquire(line, tag, entry, count, agent);
  if (drawn > 0) put32(drawn + LEAVING, 1);
  return drawn;
}

class TicketPost implements Post {
  tell(line: LineAddress, _tag: i32, agent: AgentAddress, before: i64, count: i32): Tell {
    // Lost wake-up, releasing side: load TICKET after the add of `releaseBy`. Pairs with `acquireTicket` and the core's
    // `link`.
    return minus(load64(line + TICKET), before) <= wide(0) ? IDLE : announceAt(line, agent, before, count);
  }
}

const ticketPost = /* @__PURE__ */ new TicketPost();

/**
 * Releases `count` permits. Returns the results of the core's `release`.
 *
 * @takes n permits, as `release`; if an agent waits, the keys to announce
 * @leaves As `release`; `AGENT_DUTY_KIND`, then the range at `KIND_AREA`
 * @death Walk
 */
export function releaseTickets(
  line: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  return releaseBy(ticketPost, line, tag, agent, entry, count);
}

/**
 * Releases permits as `releaseTickets` does, but announces the next keys without checking for waiters. Only for a
 * semaphore without a bound.
 *
 * @takes As `releaseTickets`, and always the keys to announce
 * @leaves As `releaseTickets`
 * @death Walk
 */
export function releaseBlindly(
  line: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): typeof SHUT | typeof NEEDS_WALK {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  const more = wide(count);
  if (!debit(entry, more)) giveMore(line, entry, more, get64(entry), load64(line + GRANT));
  const grant = add64(line + GRANT, more);
  const keys = count + ahead(line);
  noteKeys(agent, line, grant, plus(grant, wide(keys)), keys);
  return NEEDS_WALK;
}

/** Ends a release at a line that may have waiters. `count` was added to GRANT, which was `from`. */
export function announceAt(line: LineAddress, agent: AgentAddress, from: i64, count: i32): Wake {
  if (isOfFamily(line)) {
    noteKeys(agent, line, from, load64(line + TICKET), count + ahead(line));
    return NEEDS_WALK;
  }
  if ((get32(line + FLAGS) & FLAG_OWN_CHAIN) === 0) return announce(line, agent, from, count);
  detachOf(agent, line, asChain(line + OWN_CHAIN));
  return isOnDuty(agent) ? NEEDS_WALK : IDLE;
}

/** Records the keys that the walk must announce. `ticket` is the first ticket that no agent has drawn. */
export function noteKeys(agent: AgentAddress, line: LineAddress, from: i64, ticket: i64, count: i32): void {
  // The kind first: with `jsEngine` an agent may die in between.
  put32(agent + AGENT_DUTY_KIND, KIND_SEMA);
  const area = asArea(agent + KIND_AREA);
  if (isOfFamily(line) && (get32(line + FLAGS) & FLAG_ARRAY) !== 0) beginArrayPost(area, line, from, ticket, count);
  else if (isOfFamily(line) && !isGlobal(line)) beginPost(area, line, from, ticket, count);
  else beginPost(area, line, from, plus(from, wide(1)), 1);
}

/**
 * Records keys as `beginPost` does, for the buckets of a waiting array with any hash (hash.ts). With as many keys as
 * buckets, some hashes visit one bucket twice and miss another. With twice as many keys, each hash visits every bucket.
 */
function beginArrayPost(area: AreaAddress, line: LineAddress, from: i64, ticket: i64, count: i32): void {
  const most = (get32(HEADER_BUCKET_MASK) + 1) << 1;
  put64(area + AGENT_POST_FROM, from);
  put32(area + AGENT_POST_KEYS, clamp(minus(ticket, from), count < most ? count : most));
  put32(area + AGENT_POST_LINE, line);
}

/**
 * Whether the walk of this kind must run. Even if another agent has detached the chain, the walk clears the word.
 */
export function isOnDuty(agent: AgentAddress): boolean {
  return get32(agent + AGENT_DUTY_KIND) !== 0;
}

/**
 * Wakes the waiters for the post with that key. Returns AGAIN, or the word to notify. The caller then walks the
 * detached chain.
 */
export function tell(agent: AgentAddress, line: LineAddress, key: i64): typeof AGAIN | NotifyAddress {
  detachOf(agent, line, asChain(line + OWN_CHAIN));
  if (!isOfFamily(line)) return AGAIN;
  const flags = get32(line + FLAGS);
  if ((flags & (FLAG_GLOBAL | FLAG_TOKENS)) !== 0) return tellAll(agent, line);
  if ((flags & FLAG_ARRAY) !== 0) {
    const word = update(agent, slotOf(line, key));
    return word === IDLE ? AGAIN : word;
  }
  const bucket = bucketOf(line, key);
  if ((flags & FLAG_MONITORED) !== 0) signalKey(agent, bucket, 1);
  else signalChain(agent, bucket, 1);
  if ((flags & FLAG_PLACED) !== 0) signalSlot(agent, bucket, 1);
  return AGAIN;
}

function tellAll(agent: AgentAddress, line: LineAddress): typeof AGAIN | NotifyAddress {
  signalChain(agent, bucketOf(line, wide(0)), 1);
  return load32(line + GRANT_SLEEPERS) === 0 ? AGAIN : wordToNotify(agent, line + GRANT);
}

/**
 * No caller releases this number of permits. Otherwise an agent that read GRANT before such a release could find GRANT
 * unchanged after the close.
 */
const CLOSE_STEP: i32 = 1073741829;

/**
 * Changes GRANT, so that an agent that is about to sleep on it finds a changed value. GRANT is decreased: otherwise the
 * change could admit an agent that checked the tag before the close and reads GRANT now.
 */
export function wakeSleepersForClose(line: LineAddress): void {
  add64(line + GRANT, wide(-CLOSE_STEP));
  const flags = get32(line + FLAGS);
  // After the addition. If another agent changes the flags at this moment, an admitted agent that has not checked yet
  // is told that the semaphore is closed.
  cas32(line + FLAGS, flags, flags | FLAG_TAKEN_BACK);
}

/** Returns the amount by which the close decreased GRANT. Read this before GRANT. */
export function takenByClose(line: LineAddress): i32 {
  return (load32(line + FLAGS) & FLAG_TAKEN_BACK) !== 0 ? CLOSE_STEP : 0;
}

/**
 * Closes the semaphore as `close` does. Returns RACED, IDLE, or the word to notify.
 *
 * @takes As `close`, and the cancelled tickets: `OWN_CHAIN`. If all waiters wait on `GRANT`: `GRANT` less a number, so
 *   that an agent that is about to sleep finds a changed word, and no agent is admitted
 * @leaves As `close`; the chain at `KIND_AREA`; `AGENT_NOTIFY`
 * @death Walk; the word is notified
 */
export function closeOfFamily(
  agent: AgentAddress,
  line: BlockAddress,
  tag: i32,
): typeof RACED | typeof IDLE | NotifyAddress {
  if (close(agent, line, tag) === RACED) return RACED;
  detachOf(agent, line, asChain(line + OWN_CHAIN));
  if (!isGlobal(line)) return IDLE;
  wakeSleepersForClose(line);
  return load32(line + GRANT_SLEEPERS) === 0 ? IDLE : wordToNotify(agent, line + GRANT);
}

class TokenPost implements Post {
  tell(line: LineAddress, _tag: i32, agent: AgentAddress, _before: i64, _count: i32): Tell {
    return tellOfTokens(agent, line);
  }
}

const tokenPost = /* @__PURE__ */ new TokenPost();

/**
 * Releases `count` tokens. Returns the results of `releaseTickets`, or the word to notify. After the notification run
 * the walk.
 *
 * @takes As `release`; the chain of async waiters
 * @leaves As `release`; `AGENT_TO_WAKE`; the word to notify: `AGENT_NOTIFY`
 * @death The word is notified; walk
 */
export function giveTokens(
  line: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  return releaseBy(tokenPost, line, tag, agent, entry, count);
}

/**
 * Wakes waiters after tokens were added. Returns IDLE if no agent waits. Otherwise returns the word to notify, or
 * NEEDS_WALK. Then run the walk.
 */
export function tellOfTokens(agent: AgentAddress, line: LineAddress): Tell {
  // Read after the addition: a waiter counts itself and then checks the tokens.
  if (load32(line + GRANT_SLEEPERS) === 0 && load32(bucketOf(line, wide(0)) + CHAIN) === 0) return IDLE;
  const word = tellAll(agent, line);
  return word === AGAIN ? NEEDS_WALK : word;
}

export function hasTokens(line: LineAddress): boolean {
  return (get32(line + FLAGS) & FLAG_TOKENS) !== 0;
}

/**
 * Takes a token for a waiter behind a box office or in a lane. Returns false if there is none, or another agent was
 * faster.
 */
export function takeToken(line: LineAddress): boolean {
  const least = wide(0 - takenByClose(line));
  const tokens = load64(line + GRANT);
  return tokens > least && cas64(line + GRANT, tokens, minus(tokens, wide(1))) === tokens;
}

/**
 * Closes one of the lines behind a closed first line with that tag, and wakes the waiters that a sweep of the buckets
 * does not wake. Returns AGAIN, or the word to notify.
 */
export function closeLine(agent: AgentAddress, line: LineAddress, tag: i32): typeof AGAIN | NotifyAddress {
  // By compare-and-swap: another agent may have freed the semaphore.
  if (cas32(line + BLOCK_TAG, tag, -tag) !== tag) return AGAIN;
  if ((get32(line + FLAGS) & FLAG_OWN_CHAIN) !== 0) detachOf(agent, line, asChain(line + OWN_CHAIN));
  if (!isGlobal(line)) return AGAIN;
  wakeSleepersForClose(line);
  return load32(line + GRANT_SLEEPERS) === 0 ? AGAIN : wordToNotify(agent, line + GRANT);
}
