// The walk: the releasing agent works through the chains that it detached, one element per step. All its operations in
// flight are in its agent record, so another agent can continue where a dead agent stopped. The protocol, the table of
// gate states and the proof are in admit.ts.
//
// An element leaves the record before it goes to a place where other agents find it, and returns to the record if that
// fails. In WebAssembly the order has no effect, because a step is never half done. With `engine: jsEngine`, an agent
// killed in between loses the element. In the other order, the element would be in two places, and the chain could
// become a ring that the next walker never leaves.

import { beginPost } from './admit.ts';
import { bucketOf, chainOf, detach, detachOf, discard, push } from './chain.ts';
import { wakeOne, wakeAllAt } from './condition-chain.ts';
import { gather, isGathering, nextToGather } from './merge-tombstones.ts';
import { clearHazard, setHazard } from './hazard.ts';
import {
  AGENT_CHAIN,
  AGENT_IN_FLIGHT,
  AGENT_NOTIFY,
  AGENT_TO_WAKE,
  AGENT_POSTS,
  AGENT_POST_FROM,
  AGENT_POST_KEYS,
  AGENT_POST_LINE,
  AGENT_SWEEP,
  DRAWN,
  BUCKETS,
  BUCKET_SHIFT,
  COUNT,
  GATE,
  GRANT,
  MODE,
  MODE_ASYNC,
  NEXT,
  LINE,
  TAG,
  TICKET,
  POST_END,
  UP,
} from './layout.ts';
import { ABANDONED, AGAIN, CLOSED, GRANTED, IDLE, LINKED, PARKED, SPENT, type Walk } from './states.ts';
import {
  add64,
  cas32,
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
  wide,
} from './words.ts';
import { bucketBefore, isAtEnd, keysBefore, rollBack } from './roll-back.ts';
import { bucketFor, headKey, isShut, isShutFor, lastKey, progress, waitsForHead } from './wait.ts';
import type { AgentAddress, AreaAddress, ElementAddress, LineAddress, NotifyAddress } from './addresses.ts';
import { asBucket, asElement, asLine } from './addresses.ts';

/** The number of keys of a post that one step passes if their buckets are empty. */
const PASSED: i32 = 8;

/**
 * Does the next part of the walk. Returns IDLE if nothing is left, AGAIN if the caller must call again, and otherwise
 * the element to notify.
 *
 * @takes One part of the walk at a time; the section on the parts of `walk` lists them
 * @leaves `AGENT_NOTIFY` 0, because its element has been notified; then as that section says
 * @death The element in `AGENT_NOTIFY` is notified; walk
 */
export function walk(agent: AgentAddress): Walk {
  const next = walkChains(new PlainChain(), agent, agent);
  return next === IDLE ? nextBucket(agent) : next;
}

/** The parts of a walk that differ from kind to kind. */
export interface ChainKind {
  /** Visits the tombstone of a waiter that cancelled, in flight in that area of the agent's record. Returns AGAIN. */
  visitTombstone(agent: AgentAddress, area: AreaAddress, element: ElementAddress): typeof AGAIN;
  /**
   * Whether a tombstone that was put back must be visited again. `reached` is the progress of its ticket since then.
   */
  isDue(element: ElementAddress, reached: i64): boolean;
}

/**
 * Visits the next element in that area of the agent's record. Returns IDLE if no element is in flight there, AGAIN if
 * the caller must call again, and otherwise the element to notify.
 */
export function walkChains<Kind extends ChainKind>(kind: Kind, agent: AgentAddress, area: AreaAddress): Walk {
  put32(agent + AGENT_NOTIFY, 0);
  let element = asElement(get32(area + AGENT_IN_FLIGHT));
  if (element === 0) {
    element = asElement(get32(area + AGENT_CHAIN));
    if (element === 0) return IDLE;
    takeInFlight(area, element);
  }
  // Set the hazard word: the visit still acts on it after it gives up the element.
  setHazard(agent, asLine(get32(element + LINE)));
  const next = visit(kind, agent, area, element);
  clearHazard(agent);
  return next;
}

function takeInFlight(area: AreaAddress, element: ElementAddress): void {
  const next = get32(element + NEXT);
  const up = get32(element + UP);
  if (next !== 0) put32(next + UP, up);
  put32(area + AGENT_CHAIN, next !== 0 ? next : up);
  put32(area + AGENT_IN_FLIGHT, element);
}

function nextBucket(agent: AgentAddress): Walk {
  if (get32(agent + AGENT_TO_WAKE) !== 0) return wakeOne(agent);
  const line = asLine(get32(agent + AGENT_POST_LINE));
  if (line === 0) return nextPost(agent);
  const keys = get32(agent + AGENT_POST_KEYS);
  if (keys === 0) {
    put32(agent + AGENT_POST_LINE, 0);
    return nextPost(agent);
  }
  const from = get64(agent + AGENT_POST_FROM);
  if (keys >= PASSED && areEmpty(line, from)) return passBy(agent, keys, from, PASSED);
  detach(agent, bucketOf(line, from));
  return passBy(agent, keys, from, 1);
}

/**
 * Records that the next `count` keys of the post have been looked at. The number of keys is written last: with
 * `jsEngine` an agent may die in between.
 */
function passBy(agent: AgentAddress, keys: i32, from: i64, count: i32): typeof AGAIN {
  put64(agent + AGENT_POST_FROM, plus(from, wide(count)));
  put32(agent + AGENT_POST_KEYS, keys - count);
  return AGAIN;
}

/**
 * Whether no element hangs at the next PASSED keys. A post of many permits visits each bucket, and most of them are
 * empty.
 */
function areEmpty(line: LineAddress, from: i64): boolean {
  const low = headAt(line, from, 0) | headAt(line, from, 1) | headAt(line, from, 2) | headAt(line, from, 3);
  return (low | headAt(line, from, 4) | headAt(line, from, 5) | headAt(line, from, 6) | headAt(line, from, 7)) === 0;
}

function headAt(line: LineAddress, from: i64, ahead: i32): i32 {
  return load32(bucketOf(line, plus(from, wide(ahead))));
}

function nextPost(agent: AgentAddress): Walk {
  const post = asElement(get32(agent + AGENT_POSTS));
  if (post === 0) return nextSwept(agent);
  const from = get64(post + DRAWN);
  put32(agent + AGENT_POSTS, get32(post + NEXT));
  beginPost(agent, asLine(get32(post + LINE)), from, get64(post + POST_END), get32(post + COUNT));
  discard(post);
  return AGAIN;
}

/** Detaches the next bucket for a semaphore that was closed or freed. Its waiters may be in any bucket. */
function nextSwept(agent: AgentAddress): Walk {
  const left = get32(agent + AGENT_SWEEP);
  if (left === 0) return nextToGather(agent);
  put32(agent + AGENT_SWEEP, left - 1);
  const bucket = asBucket(BUCKETS + ((left - 1) << BUCKET_SHIFT));
  detach(agent, bucket);
  // Bump the counts even if the bucket is empty: an agent that checked the closed primitive and is about to sleep
  // compares them and checks again.
  const word = wakeAllAt(agent, bucket);
  return word === IDLE ? AGAIN : word;
}

function visit<Kind extends ChainKind>(
  kind: Kind,
  agent: AgentAddress,
  area: AreaAddress,
  element: ElementAddress,
): typeof AGAIN | NotifyAddress {
  const gate = load32(element + GATE);
  if (gate === SPENT) {
    put32(area + AGENT_IN_FLIGHT, 0);
    discard(element);
    return AGAIN;
  }
  if (gate === ABANDONED) {
    // Only the agent that has a tombstone in flight claims it. The waiter that left does not look at it again.
    if (cas32(element + GATE, ABANDONED, SPENT) !== ABANDONED || isShut(element)) return AGAIN;
    return kind.visitTombstone(agent, area, element);
  }
  if (isShut(element)) return deliverVerdict(agent, area, element, gate, CLOSED);
  if (progress(element) >= wide(get32(element + COUNT))) return deliverVerdict(agent, area, element, gate, GRANTED);
  return putBack(kind, agent, area, element, get32(element + COUNT));
}

/** Gives a waiter its verdict. After the CAS, the element belongs to its owner again. */
function deliverVerdict(
  agent: AgentAddress,
  area: AreaAddress,
  element: ElementAddress,
  gate: i32,
  verdict: i32,
): typeof AGAIN | NotifyAddress {
  put32(area + AGENT_IN_FLIGHT, 0);
  if (cas32(element + GATE, gate, verdict) !== gate) {
    put32(area + AGENT_IN_FLIGHT, element);
    return AGAIN;
  }
  if (gate !== PARKED) return AGAIN;
  put32(agent + AGENT_NOTIFY, element);
  return element;
}

/** The chains of the waiting array. They hold the waiters of lines without a chain of their own. */
class PlainChain implements ChainKind {
  visitTombstone(agent: AgentAddress, _area: AreaAddress, element: ElementAddress): typeof AGAIN {
    return visitTombstone(agent, element);
  }

  isDue(element: ElementAddress, reached: i64): boolean {
    return reached >= wide(0) || isAtEnd(element);
  }
}

function visitTombstone(agent: AgentAddress, element: ElementAddress): typeof AGAIN {
  const line = asLine(get32(element + LINE));
  const count = wide(get32(element + COUNT));
  if (rollBack(element)) {
    detachMerged(agent, element);
    const keys = keysBefore(line, get64(element + DRAWN));
    if (keys > 1) return noteKeysBefore(agent, element, keys);
    put32(agent + AGENT_IN_FLIGHT, 0);
    const before = bucketBefore(element);
    discard(element);
    detachOf(agent, line, before);
    return AGAIN;
  }
  if (progress(element) >= wide(0)) {
    // The element becomes a post for these keys. The keys before its last one need no announcement: no other agent
    // waits there.
    const last = lastKey(element);
    const from = add64(line + GRANT, count);
    const own = minus(last, from);
    if (own > wide(0)) put32(element + COUNT, low32(minus(count, own)));
    put64(element + DRAWN, own > wide(0) ? last : from);
    put64(element + POST_END, load64(line + TICKET));
    put32(element + NEXT, get32(agent + AGENT_POSTS));
    put32(agent + AGENT_IN_FLIGHT, 0);
    put32(agent + AGENT_POSTS, element);
    return AGAIN;
  }
  store32(element + GATE, ABANDONED);
  return isGathering(agent) ? gather(agent, element) : putBack(new PlainChain(), agent, agent, element, 0);
}

/** Detaches the chain of the merged tombstone before a ticket that was rolled back, if there is one. */
function detachMerged(agent: AgentAddress, element: ElementAddress): void {
  const permits = get32(element + MODE);
  const line = asLine(get32(element + LINE));
  if (permits > MODE_ASYNC) detachOf(agent, line, chainOf(line, minus(headKey(element), wide(permits))));
}

/**
 * Turns the element into a post for the search for the tombstone before it, which can be at several keys. No wider
 * tombstone can be there.
 */
function noteKeysBefore(agent: AgentAddress, element: ElementAddress, keys: i32): typeof AGAIN {
  const end = get64(element + DRAWN);
  put64(element + DRAWN, minus(end, wide(keys)));
  put64(element + POST_END, end);
  put32(element + COUNT, keys);
  put32(element + NEXT, get32(agent + AGENT_POSTS));
  put32(agent + AGENT_IN_FLIGHT, 0);
  put32(agent + AGENT_POSTS, element);
  return AGAIN;
}

/** Puts an element that is not due back into its chain. `needs` is the progress at which it becomes due. */
export function putBack<Kind extends ChainKind>(
  kind: Kind,
  agent: AgentAddress,
  area: AreaAddress,
  element: ElementAddress,
  needs: i32,
): typeof AGAIN {
  const head = waitsForHead(element);
  const line = asLine(get32(element + LINE));
  const tag = get32(element + TAG);
  const ticket = get64(element + DRAWN);
  const bucket = bucketFor(element, head);
  put32(area + AGENT_IN_FLIGHT, 0);
  if (!push(bucket, element)) {
    put32(area + AGENT_IN_FLIGHT, element);
    return AGAIN;
  }
  // Check again, with values read before the push: a release between the load of `grant` and the push found the bucket
  // without this element, and another agent may have the element by now.
  const reached = minus(load64(line + GRANT), ticket);
  const due = reached >= wide(head ? 0 : needs);
  // The element's owner may also have left meanwhile, and found no element in the bucket. If the element serves another
  // wait by now, this gate is meaningless and costs at most an unnecessary walk. SPENT needs no walk: there is no
  // permit to pass on, and an agent that gathers frees the element.
  const isTombstone = load32(element + GATE) === ABANDONED;
  if (due || (isTombstone && kind.isDue(element, reached)) || isShutFor(line, tag)) detachOf(agent, line, bucket);
  return AGAIN;
}

/**
 * Wakes the next waiter early, so that it spins instead of sleeping when its turn comes. Returns the element to notify,
 * or 0 if there is none. It reads only the first element of the bucket, without detaching it. The element may be stale;
 * its owner then suffers at most one spurious wake-up.
 *
 * @takes Another agent's sleep
 * @leaves That element's `GATE` from PARKED to LINKED; `AGENT_NOTIFY`
 * @death The element is notified
 */
export function wakeEarly(agent: AgentAddress, line: LineAddress, ahead: i32): ElementAddress | 0 {
  const key = plus(load64(line + GRANT), wide(ahead - 1));
  if (minus(load64(line + TICKET), key) <= wide(0)) return 0;
  const element = asElement(load32(chainOf(line, key)));
  if (element === 0) return 0;
  if (asLine(get32(element + LINE)) !== line || get64(element + DRAWN) !== key) return 0;
  if (cas32(element + GATE, PARKED, LINKED) !== PARKED) return 0;
  put32(agent + AGENT_NOTIFY, element);
  return element;
}

/**
 * Wakes a parked waiter without a verdict, so that it checks again. Returns the element to notify, or 0.
 *
 * @takes Another agent's sleep
 * @leaves `AGENT_NOTIFY`, first; that element's `GATE` from PARKED to LINKED
 * @death The element is notified, without effect if it was awake. Waiters that were not woken yet are woken at the end
 *   of that recovery (decision 053)
 */
export function rewake(agent: AgentAddress, element: ElementAddress): ElementAddress | 0 {
  // Write this first: with `jsEngine` an agent may die in between. A notification without effect is better than a sleep
  // without end.
  put32(agent + AGENT_NOTIFY, element);
  return cas32(element + GATE, PARKED, LINKED) === PARKED ? element : 0;
}
