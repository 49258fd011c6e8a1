// Steps of a waiter: entering a chain, going to sleep, polling, leaving.
// The protocol, the table of gate states and the proof are in admit.ts.

import { beginPost, credit } from './admit.ts';
import { chainOf, detachOf, hasOwnChain, push } from './chain.ts';
import {
  AT,
  BLOCK_LINE,
  BLOCK_TAG,
  COUNT,
  FLAG_OWNED,
  FLAG_OWN_CHAIN,
  FLAGS,
  GATE,
  GRANT,
  HEADER_BUCKET_MASK,
  LEAVING,
  OWNER,
  SEM,
  TAG,
  TICKET,
  WIDEST,
} from './layout.ts';
import { guard, unguard } from './guard.ts';
import {
  ABANDONED,
  asGate,
  CLOSED,
  FREE,
  CANCELLED_LEFT_BEHIND,
  GRANTED,
  LINKED,
  CANCELLED,
  PARKED,
  QUEUED,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type Exit,
  type Gate,
  type Poll,
} from './states.ts';
import { cas32, cas64, get32, get64, load32, load64, minus, pair, plus, put32, store32, toNumber, wide } from './words.ts';
import type { AgentAddress, ChainAddress, ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/** How far `grant` is past the element's ticket. `count` or more admits the waiter, 0 or more makes it head of the line. */
export function progress(element: ElementAddress): i64 {
  return minus(load64(asLine(get32(element + SEM)) + GRANT), get64(element + AT));
}

/** Whether the semaphore was freed: its words may be another primitive's by now. */
export function isFreed(element: ElementAddress): boolean {
  const tag = get32(element + TAG);
  const now = load32(asLine(get32(element + SEM)) + BLOCK_TAG);
  return now !== tag && now !== -tag;
}

/** Whether the semaphore was closed or freed. */
export function isShut(element: ElementAddress): boolean {
  return isShutFor(asLine(get32(element + SEM)), get32(element + TAG));
}

/** As `isShut`, for a semaphore that had that tag. */
export function isShutFor(sem: LineAddress, tag: i32): boolean {
  return load32(sem + BLOCK_TAG) !== tag;
}

/** The key of the release that admits the waiter: its last ticket. */
export function lastKey(element: ElementAddress): i64 {
  return plus(get64(element + AT), wide(get32(element + COUNT) - 1));
}

/** The key of the release that makes the waiter head of the line: the ticket before its first. */
export function headKey(element: ElementAddress): i64 {
  return minus(get64(element + AT), wide(1));
}

/**
 * A waiter of several permits is first put where the release that makes it head of the line looks: if it leaves, the permits it gathered
 * must move on at once. Afterwards it is put where the release that admits it looks. A waiter of a single permit always is.
 */
export function waitsForHead(element: ElementAddress): boolean {
  return get32(element + COUNT) > 1 && progress(element) < wide(0);
}

/** The bucket that the element belongs to now. `head`: the result of `waitsForHead`. */
export function bucketFor(element: ElementAddress, head: boolean): ChainAddress {
  const sem = asLine(get32(element + SEM));
  return head ? chainOf(sem, headKey(element)) : chainOf(sem, lastKey(element));
}

/** How many permits must still be released before the waiter is head of the line. 0 or less: it is. */
export function distance(element: ElementAddress): f64 {
  return -toNumber(progress(element));
}

/** QUEUED to LINKED. RACED: call again. LINKED: in the chain; run the walk before going to sleep. */
export function link(agent: AgentAddress, element: ElementAddress): typeof LINKED | typeof RACED {
  const count = get32(element + COUNT);
  const head = waitsForHead(element);
  const bucket = bucketFor(element, head);
  store32(element + GATE, LINKED);
  if (!push(bucket, element)) {
    store32(element + GATE, QUEUED);
    return RACED;
  }
  // Check again: a release between the last load of `grant` and the push found the bucket without this element.
  if (isShut(element) || progress(element) >= wide(head ? 0 : count)) detachOf(agent, asLine(get32(element + SEM)), bucket);
  return LINKED;
}

/**
 * ABANDONED to LINKED: the agent waits again at a place that it left. Only for lines whose tombstones are due when a waiter would be: then what
 * finds the tombstone finds the waiter. WAITING: the element is no tombstone of this agent there.
 */
export function rejoin(agent: AgentAddress, element: ElementAddress, line: LineAddress, tag: i32): typeof TAKEN | typeof WAITING {
  // The element may be any agent's by now. If it is this agent's, no other agent writes SEM and TAG.
  if (asLine(get32(element + SEM)) !== line || get32(element + TAG) !== tag) return WAITING;
  // Owner and gate in one write: a tombstone of another agent that uses the element by now stays what it is.
  const id = get32(agent + OWNER);
  const left = pair(id, ABANDONED);
  return cas64(element + OWNER, left, pair(id, LINKED)) === left ? TAKEN : WAITING;
}

/** LINKED to PARKED. Any other result is the gate that was found instead. */
export function park(element: ElementAddress): Gate {
  return asGate(cas32(element + GATE, LINKED, PARKED));
}

/**
 * Checks once. TAKEN: the permits are credited, the element is free. SHUT: closed, the element is free. WAITING: neither.
 */
export function poll(element: ElementAddress, entry: EntryAddress): Poll {
  const gate = load32(element + GATE);
  if (gate === GRANTED) return settle(element, entry);
  if (gate === CLOSED) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  if (gate !== QUEUED) return WAITING;
  if (isShut(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  return progress(element) >= wide(get32(element + COUNT)) ? settle(element, entry) : WAITING;
}

/** The wait ends with its permits. SHUT: the semaphore was freed, and its permits no longer exist. */
export function settle(element: ElementAddress, entry: EntryAddress): Poll {
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  // Before the credit: with `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
  put32(element + GATE, FREE);
  credit(entry, wide(get32(element + COUNT)));
  return TAKEN;
}

/**
 * Takes the ticket out of the line. CANCELLED: the element is the caller's. CANCELLED_LEFT_BEHIND: it stays behind. RACED: call again. Run
 * the walk afterwards.
 */
export function leaveLine(agent: AgentAddress, element: ElementAddress): Exit {
  guard(agent, asLine(get32(element + SEM)));
  const left = leaveLineGuarded(agent, element);
  unguard(agent);
  return left;
}

/** As `leaveLine`, for a caller that has the guard. */
export function leaveLineGuarded(agent: AgentAddress, element: ElementAddress): Exit {
  return load32(element + GATE) === QUEUED ? leaveQueued(agent, element) : leaveLinked(agent, element);
}

/** The first ticket behind the element's own. */
function ticketBehind(element: ElementAddress): i64 {
  return plus(get64(element + AT), wide(get32(element + COUNT)));
}

/** Whether no agent drew a ticket behind `end`. */
function isLast(sem: LineAddress, end: i64): boolean {
  return load64(sem + TICKET) === end;
}

/**
 * Whether a waiter that cancels leaves its ticket in line, at a line with a chain of its own: its permit comes nevertheless, and the kind's
 * walk decides what becomes of it. A waiter with LEAVING set gives its ticket up as anywhere else.
 */
export function keepsTicket(element: ElementAddress): boolean {
  return hasOwnChain(asLine(get32(element + SEM))) && get32(element + LEAVING) === 0;
}

/**
 * Whether the ticket is the last one. If the element serves another wait by now, the result means nothing and costs at most an unnecessary
 * walk.
 */
export function isAtEnd(element: ElementAddress): boolean {
  const sem = asLine(get32(element + SEM));
  // Of another wait: a wait on a word has the address of a 32-bit word there, and a load of 64 bits at such an address traps.
  if ((sem & (BLOCK_LINE - 1)) !== 0) return true;
  // The kind's walk looks.
  return keepsTicket(element) || isLast(sem, ticketBehind(element));
}

/**
 * If the ticket is last in line, rolls it back as if it had never been drawn. The gate must no longer be that of a waiter: with `jsEngine`
 * an agent may die right after this, and the element would get the permit of the agent that draws that ticket next.
 */
export function rollBack(element: ElementAddress): boolean {
  const sem = asLine(get32(element + SEM));
  const end = ticketBehind(element);
  return cas64(sem + TICKET, end, get64(element + AT)) === end;
}

/**
 * Records that a waiter of several permits cancels, before its element becomes a tombstone: the roll-back of the ticket behind it must know
 * how far back to look (`keysBefore`). False: another agent recorded its own at the same time, call again.
 */
function noteWidth(element: ElementAddress): boolean {
  const count = get32(element + COUNT);
  const sem = asLine(get32(element + SEM));
  if (count === 1 || hasOwnChain(sem)) return true;
  const widest = load32(sem + WIDEST);
  return widest >= count || cas32(sem + WIDEST, widest, count) === widest;
}

/**
 * For use after a ticket was rolled back: in how many of the keys before that ticket the tombstone before it may be found, if there is one.
 * The tombstone of a single permit, or of a waiter that was head of the line, is at the last of these keys; that of n permits at the n-th
 * before the last (`waitsForHead`).
 */
export function keysBefore(sem: LineAddress): i32 {
  if ((get32(sem + FLAGS) & (FLAG_OWNED | FLAG_OWN_CHAIN)) !== 0) return 1;
  const widest = load32(sem + WIDEST);
  const buckets = get32(HEADER_BUCKET_MASK) + 1;
  if (widest < 2) return 1;
  return widest < buckets ? widest + 1 : buckets;
}

/** The element's ticket was rolled back: detaches where the tombstone before it may be. Only while no other post is under way. */
function detachBefore(agent: AgentAddress, element: ElementAddress): void {
  const sem = asLine(get32(element + SEM));
  const keys = keysBefore(sem);
  const end = get64(element + AT);
  if (keys === 1) detachOf(agent, sem, bucketBefore(element));
  else beginPost(agent, sem, minus(end, wide(keys)), end, keys);
}

/** The bucket of the tombstone of the ticket before, if that ticket was cancelled and wanted one permit. */
export function bucketBefore(element: ElementAddress): ChainAddress {
  return chainOf(asLine(get32(element + SEM)), headKey(element));
}

/** Takes back a ticket that was never linked. CANCELLED: done, run the walk. RACED: other tickets stand behind it. */
export function withdraw(agent: AgentAddress, element: ElementAddress): typeof CANCELLED | typeof RACED {
  // Without a write: callers retry.
  if (!mayWithdraw(element)) return RACED;
  guard(agent, asLine(get32(element + SEM)));
  const left = withdrawGuarded(agent, element);
  unguard(agent);
  return left;
}

/** Whether no other ticket stands behind it. */
function mayWithdraw(element: ElementAddress): boolean {
  return !keepsTicket(element) && isLast(asLine(get32(element + SEM)), ticketBehind(element));
}

function withdrawGuarded(agent: AgentAddress, element: ElementAddress): typeof CANCELLED | typeof RACED {
  if (!mayWithdraw(element)) return RACED;
  store32(element + GATE, FREE);
  if (!rollBack(element)) {
    put32(element + GATE, QUEUED);
    return RACED;
  }
  detachBefore(agent, element);
  return CANCELLED;
}

function leaveQueued(agent: AgentAddress, element: ElementAddress): Exit {
  if (withdrawGuarded(agent, element) === CANCELLED) return CANCELLED;
  const sem = asLine(get32(element + SEM));
  const head = waitsForHead(element);
  const bucket = bucketFor(element, head);
  const ticket = get64(element + AT);
  const tag = get32(element + TAG);
  if (!noteWidth(element)) return RACED;
  store32(element + GATE, ABANDONED);
  if (!push(bucket, element)) {
    store32(element + GATE, QUEUED);
    return RACED;
  }
  // Check again, with values read before the push: another agent may have the tombstone by now. An agent that rolled back the ticket behind
  // this one meanwhile did not find the tombstone, either.
  const due = minus(load64(sem + GRANT), ticket) >= wide(0) || isAtEnd(element);
  if (due || isShutFor(sem, tag)) detachOf(agent, sem, bucket);
  return CANCELLED_LEFT_BEHIND;
}

function leaveLinked(agent: AgentAddress, element: ElementAddress): Exit {
  const sem = asLine(get32(element + SEM));
  const ticket = get64(element + AT);
  const before = chainOf(sem, headKey(element));
  const last = chainOf(sem, lastKey(element));
  // The counters may be another semaphore's by now. The sweep for the closed one finds the tombstone.
  if (isShut(element)) return cas32(element + GATE, LINKED, ABANDONED) === LINKED ? CANCELLED_LEFT_BEHIND : RACED;
  if (!noteWidth(element)) return RACED;
  if (cas32(element + GATE, LINKED, ABANDONED) !== LINKED) return RACED;
  // From here on the element is not the caller's: a walker may have freed it and another agent may use it. So its gate is not touched
  // again, and only values read before are used. Check again: a release that made this waiter head of the line before the compare-and-swap
  // met a waiter, not a tombstone, and so did an agent that rolled back the ticket behind it. The agent that walks the chain claims the
  // tombstone. If a walker has the element in flight, its own second check (walk.ts, putBack) sees the tombstone.
  if (minus(load64(sem + GRANT), ticket) < wide(0) && !isAtEnd(element)) return CANCELLED_LEFT_BEHIND;
  detachOf(agent, sem, last);
  detachOf(agent, sem, before);
  return CANCELLED_LEFT_BEHIND;
}
