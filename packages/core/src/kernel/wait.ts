// Steps of a waiter: entering a chain, going to sleep, polling.
// The protocol, the table of gate states and the proof are in admit.ts.

import { credit } from './admit.ts';
import { chainOf, detachOf, push } from './chain.ts';
import {
  AGENT_CHAIN,
  AGENT_DUTY_KIND,
  AGENT_PARKS,
  AGENT_SPARE,
  DRAWN,
  BLOCK_TAG,
  COUNT,
  ENTRY_SINCE,
  GATE,
  GRANT,
  HEADER_PENDING,
  MODE,
  MODE_BLOCKING,
  OWNER,
  LINE,
  SINCE,
  TAG,
} from './layout.ts';
import {
  ABANDONED,
  asGate,
  CLOSED,
  FREE,
  GRANTED,
  LINKED,
  NEEDS_WALK,
  PARKED,
  QUEUED,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type Park,
  type Poll,
} from './states.ts';
import {
  cas32,
  cas64,
  fromNumber,
  get32,
  get64,
  load32,
  load64,
  minus,
  pair,
  plus,
  put32,
  put64,
  store32,
  toNumber,
  wide,
} from './words.ts';
import type { AgentAddress, ChainAddress, ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/**
 * Returns how far `grant` is past the element's ticket. A result of `count` or more admits the waiter, and 0 or more
 * makes it head of the line.
 */
export function progress(element: ElementAddress): i64 {
  return minus(load64(asLine(get32(element + LINE)) + GRANT), get64(element + DRAWN));
}

/** Whether the semaphore was freed. Then another primitive may use its words. */
export function isFreed(element: ElementAddress): boolean {
  const tag = get32(element + TAG);
  const now = load32(asLine(get32(element + LINE)) + BLOCK_TAG);
  return now !== tag && now !== -tag;
}

/** Whether the semaphore was closed or freed. */
export function isShut(element: ElementAddress): boolean {
  return isShutFor(asLine(get32(element + LINE)), get32(element + TAG));
}

/** Whether a semaphore that had that tag was closed or freed. */
export function isShutFor(line: LineAddress, tag: i32): boolean {
  return load32(line + BLOCK_TAG) !== tag;
}

/** Returns the key of the release that admits the waiter: its last ticket. */
export function lastKey(element: ElementAddress): i64 {
  return plus(get64(element + DRAWN), wide(get32(element + COUNT) - 1));
}

/** Returns the key of the release that makes the waiter head of the line: the ticket before its first. */
export function headKey(element: ElementAddress): i64 {
  return minus(get64(element + DRAWN), wide(1));
}

/**
 * Whether the element belongs in the bucket of the release that makes the waiter head of the line. A waiter of several
 * permits goes there first: if it leaves, the permits that it gathered must move on at once. Afterwards it goes to the
 * bucket of the release that admits it. A waiter of a single permit always does.
 */
export function waitsForHead(element: ElementAddress): boolean {
  return get32(element + COUNT) > 1 && progress(element) < wide(0);
}

/** Returns the bucket that the element belongs to now. `head` is the result of `waitsForHead`. */
export function bucketFor(element: ElementAddress, head: boolean): ChainAddress {
  const line = asLine(get32(element + LINE));
  return head ? chainOf(line, headKey(element)) : chainOf(line, lastKey(element));
}

/**
 * Returns how many permits must still be released before the waiter is head of the line. 0 or less means that it is.
 *
 * @takes Nothing, it reads
 */
export function distance(element: ElementAddress): f64 {
  return -toNumber(progress(element));
}

/**
 * QUEUED to LINKED. Returns LINKED if the element is in the chain: run the walk before going to sleep. Returns RACED if
 * it lost a race: call again.
 *
 * @takes The element, to a bucket; that bucket's chain, if the element is due or the semaphore shut
 * @leaves `GATE` LINKED, `NEXT`; back to QUEUED when the push lost. `AGENT_CHAIN`
 * @death Cancelled; walk
 */
export function link(agent: AgentAddress, element: ElementAddress): typeof LINKED | typeof RACED {
  const count = get32(element + COUNT);
  const head = waitsForHead(element);
  const bucket = bucketFor(element, head);
  store32(element + GATE, LINKED);
  if (!push(bucket, element)) {
    store32(element + GATE, QUEUED);
    return RACED;
  }
  // Lost wake-up, waiter side: check again. A release between the last load of `grant` and the push found the bucket
  // without this element. Pairs with `release`, and with every step that writes GRANT and then detaches.
  if (isShut(element) || progress(element) >= wide(head ? 0 : count))
    detachOf(agent, asLine(get32(element + LINE)), bucket);
  return LINKED;
}

/**
 * ABANDONED to LINKED: the agent waits again at a place that it left. Only for lines whose tombstones become due at the
 * same time as a waiter would: there, the walk that finds the tombstone finds the waiter. Returns WAITING if the
 * element is not a tombstone of this agent at this place.
 *
 * @takes A place in line that this agent left
 * @leaves `GATE` from ABANDONED to LINKED, if `OWNER` still is this agent
 * @death The wait is cancelled again
 */
export function rejoin(
  agent: AgentAddress,
  element: ElementAddress,
  line: LineAddress,
  tag: i32,
): typeof TAKEN | typeof WAITING {
  // Any agent may use the element by now. If this agent uses it, no other agent writes LINE and TAG.
  if (asLine(get32(element + LINE)) !== line || get32(element + TAG) !== tag) return WAITING;
  // Compare owner and gate in one write: a tombstone of another agent that uses the element by now must not change.
  const id = get32(agent + OWNER);
  const left = pair(id, ABANDONED);
  return cas64(element + OWNER, left, pair(id, LINKED)) === left ? TAKEN : WAITING;
}

/**
 * Records for reports how the agent of a QUEUED element waits, and since when, in ms since 1970.
 *
 * @takes Nothing
 * @leaves `MODE`, `SINCE` of its element, for reports
 * @death Cancelled
 */
export function beginWait(element: ElementAddress, mode: i32, since: f64): void {
  put32(element + MODE, mode);
  put64(element + SINCE, fromNumber(since));
}

/**
 * The last step before the sleep: QUEUED or LINKED to PARKED. Returns LINKED if the waiter may sleep. Returns
 * NEEDS_WALK if it stays LINKED because it may be due: run the walk and poll. Returns RACED if it lost a race: call
 * again. Any other result is the gate that was found instead.
 *
 * @takes If QUEUED: first as `link`. Then its own wakefulness, unless a chain was detached
 * @leaves As `link`; `GATE` PARKED
 * @death Cancelled; walk
 */
export function park(element: ElementAddress, agent: AgentAddress): Park {
  if (load32(element + GATE) === QUEUED) {
    if (link(agent, element) === RACED) return RACED;
    // The check after the push detached a chain. The core or a kind walks it.
    if (get32(agent + AGENT_CHAIN) !== 0 || get32(agent + AGENT_DUTY_KIND) !== 0) return NEEDS_WALK;
  }
  return asGate(cas32(element + GATE, LINKED, PARKED));
}

/**
 * Takes a blocking waiter from its ticket to its sleep: `beginWait`, then `park`. Returns LINKED if the waiter may
 * sleep now. Returns QUEUED if it is fewer than `near` permits from the head of the line, so spinning may pay. Returns
 * PARKED if it is parked but HEADER_PENDING is not `pending`. Other results are those of `park`.
 *
 * @takes As `beginWait`, then `park`
 * @leaves As `beginWait` and `park`
 * @death Cancelled; walk
 */
export function goToSleep(element: ElementAddress, agent: AgentAddress, since: f64, near: i32, pending: i32): Park {
  beginWait(element, MODE_BLOCKING, since);
  if (near > 0 && progress(element) > wide(-near)) return QUEUED;
  const gate = park(element, agent);
  // Read HEADER_PENDING after the waiter is PARKED: from then on a recovery that leaves work to other agents wakes it
  // (../recovery/pending.ts).
  return gate === LINKED && load32(HEADER_PENDING) !== pending ? PARKED : gate;
}

/**
 * Ends a blocking wait. With an `entry`, it records for reports since when the agent has held the permits, in ms since
 * 1970. `parks` is how often the agent has slept so far. Returns TAKEN if the element is now the agent's spare, and
 * WAITING if the agent already has another spare.
 *
 * @takes Nothing: the wait is over
 * @leaves `ENTRY_SINCE` and `AGENT_PARKS`, for reports; the element in `AGENT_SPARE`, if there is none
 * @death The element goes to the pool
 */
export function endWait(
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  since: f64,
  parks: i32,
): typeof TAKEN | typeof WAITING {
  if (entry !== 0) put64(entry + ENTRY_SINCE, fromNumber(since));
  put32(agent + AGENT_PARKS, parks);
  if (get32(agent + AGENT_SPARE) !== 0) return WAITING;
  put32(agent + AGENT_SPARE, element);
  return TAKEN;
}

/**
 * Checks once. Returns TAKEN if the permits are credited, and SHUT if the line is closed. In both cases the element is
 * free. Returns WAITING otherwise.
 *
 * @takes Permits, by a verdict GRANTED, or if QUEUED by reading `GRANT` itself
 * @leaves `ENTRY_HELD` + `COUNT`, `GATE` FREE; if shut, only `GATE` FREE
 * @death Given back; the element goes to the pool
 */
export function poll(element: ElementAddress, entry: EntryAddress): Poll {
  const gate = load32(element + GATE);
  if (gate === GRANTED) return settle(element, entry);
  if (gate === CLOSED) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  if (gate !== QUEUED) return WAITING;
  // Check this before the tag: a grant that came before the close wins. After a close no release moves `grant`.
  if (!isFreed(element) && progress(element) >= wide(get32(element + COUNT))) return settle(element, entry);
  if (!isShut(element)) return WAITING;
  put32(element + GATE, FREE);
  return SHUT;
}

/**
 * Checks once the wait for one permit of a kind's waiter. Returns TAKEN if the permit is there; the caller then ends the
 * wait. Returns SHUT if the line is closed or freed; then the element is free. Returns WAITING otherwise.
 */
export function verdictOf(element: ElementAddress): Poll {
  const gate = load32(element + GATE);
  if (gate === GRANTED) return TAKEN;
  if (gate === CLOSED || (gate === QUEUED && isShut(element))) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  return gate === QUEUED && progress(element) >= wide(1) ? TAKEN : WAITING;
}

/** Ends the wait with its permits. Returns SHUT if the semaphore was freed: its permits no longer exist. */
export function settle(element: ElementAddress, entry: EntryAddress): Poll {
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  // Write this before the credit: with `jsEngine` an agent may die in between, and a lost permit is better than a
  // duplicated one.
  put32(element + GATE, FREE);
  credit(entry, wide(get32(element + COUNT)));
  return TAKEN;
}
