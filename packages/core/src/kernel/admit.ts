// Steps at a semaphore's own words: taking permits, drawing a ticket, giving permits back, closing. And the protocol of
// the semaphore:
//
// BOX OFFICE, one 128-byte line
//
//   word      value                                                               written by
//   tag       n > 0: open · -n: closed · else freed (n is unique to this creation)  create, close, free
//   ticket    permits ever requested, less those whose waiters rolled back          acquire +n, tryAcquire, drain: CAS;
//                                                                                   withdraw, walk: CAS back, last in
//                                                                                   line
//   grant     permits ever granted, starts at `permits`                             release +n; skipping a tombstone +n
//   released  permits that an agent released for another, which had acquired them   release; recovery
//   ForOthers
//   capacity  permits that exist, free or held; rises when more are released        create, release
//   limit     `max`, 0 = unbounded; flags: whether holders are recorded             create
//
// GATE of an element, one per waiter (states.ts); in brackets the kernel step
//
//   FREE      ▶ QUEUED                [acquire, adopt]   a ticket is drawn
//   QUEUED    ▶ FREE                  [poll, cancelWait] admitted by its own poll, or rolled back
//   QUEUED    ▶ LINKED                [link, park]       pushed; back to QUEUED when the push lost
//   QUEUED    ▶ ABANDONED             [cancelWait]       pushed as a tombstone; back to QUEUED when the push lost
//   LINKED    ▶ PARKED                [park]             and back [cancelWait, wakeEarly]
//   LINKED    ▶ ABANDONED             [cancelWait]       a tombstone
//   LINKED    ▶ SPENT                 [cancelWait]       at a box office: took its permit without the walker
//                                                        (cancel-wait.ts)
//   ABANDONED ▶ LINKED                [rejoin]           back at a place that it left; only of kinds whose tombstones
//                                                        are not merged
//   LINKED, PARKED ▶ GRANTED, CLOSED  [walk, release]    the verdict; then FREE [poll]
//   ABANDONED ▶ SPENT                 [walk]             claimed; back to ABANDONED when it is not last and not due
//   SPENT     ▶ FREE                  [walk]             back in the pool
//
// INVARIANTS
//
//   1. grant - ticket = free permits - permits requested by the waiters in line (tombstones count until they are
//      skipped).
//   2. The waiter with ticket t for n permits is admitted when grant - t >= n, never before: the order of tickets is
//      the order of service, for blocking and async waiters alike.
//   3. grant never decreases. ticket decreases only by a roll-back, and only to a value that no later waiter has drawn.
//   4. Once pushed, an element that is LINKED, PARKED, ABANDONED or SPENT is in exactly one place: one bucket's chain,
//      or in flight at one agent (its record's chain, held or posts). That agent frees it, hands it over or puts it
//      back.
//   5. The ticket of one release decides the element's bucket. Usually that release reaches the waiter's last ticket.
//      For a waiter that wants several permits and is not head of the line, that release makes it head (kernel/wait.ts,
//      waitsForHead).
//   6. Permits move by the counters alone. A verdict at a gate (GRANTED) only reports them.
//
// NO WAKE-UP IS LOST. A waiter draws its ticket, pushes its element, then reads grant (`acquire`, `link`). A release
// adds to grant, then reads ticket and the bucket (`release`). Each side writes before it reads, and every access is
// sequentially consistent. So at least one side sees the other: the waiter sees the grant, or the release finds the
// element. An element that is put back (`putBack`) and a waiter that becomes a tombstone (`leaveQueued`, `leaveLinked`)
// also write first and then read grant again.
//
// Without the read after the push (the mutant "a waiter does not check again after it has linked"), the waiter W misses
// the release R. Before: ticket 5, grant 5.
//
//   1. W draws ticket 5, so ticket is 6.
//   2. W reads grant: 5. Its permit is not there.
//   3. R adds to grant: 6.
//   4. R reads ticket: 6, so an agent waits. It reads the bucket of key 5: empty.
//   5. W pushes its element and sleeps. R has ended, and no later release visits that bucket for key 5.
//
// With the read, W finds grant 6 at step 5 and detaches the chain itself. The other side has the same need: if R read
// ticket before it added to grant (the mutant "a release checks for waiters before it adds to GRANT"), R could read
// ticket 5 before step 1, and add to grant after W has pushed its element and read grant 5 again.

import { bucketOf, detach } from './chain.ts';
import { clearHazard, setHazard } from './hazard.ts';
import {
  AGENT_CHAIN,
  AGENT_POST_FROM,
  AGENT_POST_KEYS,
  AGENT_POST_LINE,
  AGENT_SPARE,
  AGENT_STUB,
  DRAWN,
  BLOCK_TAG,
  CAPACITY,
  COUNT,
  RELEASED_FOR_OTHERS,
  ENTRY_SINCE,
  GATE,
  GRANT,
  HEADER_BUCKET_MASK,
  LEAVING,
  LINE,
  SUCCEEDS,
  TAG,
  TICKET,
} from './layout.ts';
import {
  FREE,
  IDLE,
  QUEUED,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  NEEDS_WALK,
  type Draw,
  type Try,
  type Wake,
} from './states.ts';
import {
  add64,
  cas64,
  clamp,
  get32,
  get64,
  load32,
  load64,
  low32,
  minus,
  plus,
  put32,
  put64,
  store32,
  toNumber,
  wide,
} from './words.ts';
import type { AgentAddress, AreaAddress, ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asElement, asLine } from './addresses.ts';

/** Passed in place of a number of permits: the agent itself held all of them. */
export const NOTED: i32 = -1;

/** Records `count` permits as held by this agent. If `entry` is 0, the semaphore keeps no record. */
export function credit(entry: EntryAddress, count: i64): void {
  if (entry === 0) return;
  put64(entry, plus(get64(entry), count));
  // Write without a test: a branch would cost more. An agent that had to wait writes the time afterwards.
  put64(entry + ENTRY_SINCE, wide(0));
}

/**
 * Records `count` permits as released if the agent holds that many, and returns whether it does. Call it before the
 * release: with `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
 */
export function debit(entry: EntryAddress, count: i64): boolean {
  if (entry === 0) return true;
  const held = get64(entry);
  if (held < count) return false;
  put64(entry, minus(held, count));
  return true;
}

/**
 * Updates the counts for a release of `count` permits by an agent that holds only `own` of them. Returns the number of
 * permits released for others. `grant` is its value before the release.
 *
 * Permits that other agents hold count as released for them (RELEASED_FOR_OTHERS), and recovery does not release them
 * again when these agents die. The remaining permits are new (CAPACITY). A permit that may be either counts as another
 * agent's: a missing permit stops one waiter, but a surplus permit breaks what the semaphore protects.
 *
 * Call it before the release. Otherwise a second release could take these permits for free ones.
 */
export function giveMore(line: LineAddress, entry: EntryAddress, count: i64, own: i64, grant: i64): i32 {
  put64(entry, wide(0));
  const there = minus(load64(line + CAPACITY), own);
  const free = minus(grant, load64(line + TICKET));
  const more = low32(minus(count, own));
  const theirs = free > wide(0) ? clamp(minus(there, free), more) : clamp(there, more);
  if (theirs > 0) add64(line + RELEASED_FOR_OTHERS, wide(theirs));
  if (more > theirs) add64(line + CAPACITY, wide(more - theirs));
  return theirs;
}

/**
 * Draws a ticket for `count` permits. Returns TAKEN if the caller was admitted at once, and SHUT if the semaphore is
 * closed or freed. Otherwise returns the element that now holds the ticket, QUEUED. This is the agent's spare element,
 * or its stub if the agent has no spare.
 *
 * The step does not test for a spare first: each load that is tested before a locked instruction costs 1 to 2 ns
 * (docs/decisions/003-fetch-and-add-draws-the-ticket.md).
 *
 * @takes A ticket: `TICKET` + n
 * @leaves If admitted: `ENTRY_HELD` + n. Otherwise the ticket, in the spare element (its `OWNER` is the agent;
 *   `AGENT_SPARE` 0) or in the stub: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED
 * @death Permits that it holds are given back. A wait is cancelled, even the stub's
 */
export function acquire(line: LineAddress, tag: i32, entry: EntryAddress, count: i32, agent: AgentAddress): Draw {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  const want = wide(count);
  const ticket = add64(line + TICKET, want);
  if (minus(load64(line + GRANT), ticket) >= want) {
    credit(entry, want);
    return TAKEN;
  }
  return queue(agent, line, tag, count, ticket);
}

/**
 * Stores a drawn ticket in the agent's spare element, or in its stub if it has no spare. Returns the address of that
 * element.
 */
export function queue(agent: AgentAddress, line: LineAddress, tag: i32, count: i32, ticket: i64): ElementAddress {
  const spare = get32(agent + AGENT_SPARE);
  const element = asElement(spare !== 0 ? spare : agent + AGENT_STUB);
  put32(agent + AGENT_SPARE, 0);
  put64(element + DRAWN, ticket);
  put32(element + COUNT, count);
  put32(element + LINE, line);
  put32(element + TAG, tag);
  put32(element + GATE, QUEUED);
  return element;
}

/**
 * Moves the ticket from the stub to the agent's spare element, and returns its address. Unlike the stub, that element
 * can be enqueued.
 *
 * @takes The stub's ticket, to the spare element
 * @leaves Stub: `GATE` FREE. Element: as in `acquire`, `LEAVING` and `SUCCEEDS` as the stub's; `AGENT_SPARE` 0
 * @death The element's wait is cancelled
 */
export function adopt(agent: AgentAddress): ElementAddress {
  const stub = asElement(agent + AGENT_STUB);
  const line = asLine(get32(stub + LINE));
  setHazard(agent, line);
  store32(stub + GATE, FREE);
  const element = queue(agent, line, get32(stub + TAG), get32(stub + COUNT), get64(stub + DRAWN));
  put32(element + LEAVING, get32(stub + LEAVING));
  put64(element + SUCCEEDS, get64(stub + SUCCEEDS));
  clearHazard(agent);
  return element;
}

/**
 * Takes `count` permits if they are free and no waiter is in line for them, so it never barges. Returns WAITING if they
 * are not free.
 *
 * @takes n free permits: `TICKET` + n by CAS
 * @leaves `ENTRY_HELD` + n
 * @death Given back
 */
export function tryAcquire(line: LineAddress, tag: i32, entry: EntryAddress, count: i32): Try {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  const want = wide(count);
  const ticket = load64(line + TICKET);
  if (minus(load64(line + GRANT), ticket) < want) return WAITING;
  if (cas64(line + TICKET, ticket, plus(ticket, want)) !== ticket) return RACED;
  credit(entry, want);
  return TAKEN;
}

/**
 * Takes every free permit and returns their number. Returns RACED if it lost a race: call again. Returns SHUT if the
 * semaphore is closed or freed.
 *
 * @takes All free permits: `TICKET` to `GRANT` by CAS
 * @leaves `ENTRY_HELD` + the number of permits that were free
 * @death Given back
 */
export function drain(line: LineAddress, tag: i32, entry: EntryAddress): f64 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  const ticket = load64(line + TICKET);
  const grant = load64(line + GRANT);
  const free = minus(grant, ticket);
  if (free <= wide(0)) return 0;
  if (cas64(line + TICKET, ticket, grant) !== ticket) return RACED;
  credit(entry, free);
  return toNumber(free);
}

/**
 * `grant - ticket`: the number of free permits, or less than 0 while agents are in line.
 *
 * @takes Nothing, it reads
 */
export function balance(line: LineAddress): f64 {
  return toNumber(minus(load64(line + GRANT), load64(line + TICKET)));
}

/**
 * Records `count` keys from `from` on as keys to announce. It omits keys that no agent has drawn yet (`ticket` and
 * above). It records at most one key per bucket, because that many consecutive keys visit each bucket once.
 */
export function beginPost(agent: AreaAddress, line: LineAddress, from: i64, ticket: i64, count: i32): void {
  const buckets = get32(HEADER_BUCKET_MASK) + 1;
  put64(agent + AGENT_POST_FROM, from);
  put32(agent + AGENT_POST_KEYS, clamp(minus(ticket, from), count < buckets ? count : buckets));
  put32(agent + AGENT_POST_LINE, line);
}

/** Ends a release that may have waiters and that raised `grant` by `count` from `from`. */
export function announce(line: LineAddress, agent: AgentAddress, from: i64, count: i32): Wake {
  if (count === 1) {
    detach(agent, bucketOf(line, from));
    return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
  }
  beginPost(agent, line, from, load64(line + TICKET), count);
  return NEEDS_WALK;
}

/** Restores everything that a release recorded before it lost its race. */
export function takeBack(line: LineAddress, entry: EntryAddress, count: i64, own: i64, theirs: i32): void {
  put64(entry, own);
  if (theirs === NOTED) return;
  const more = low32(minus(count, own));
  add64(line + RELEASED_FOR_OTHERS, wide(-theirs));
  add64(line + CAPACITY, wide(theirs - more));
}
