// Steps at a queued lock: its waiters hang at its own words, each asleep at its own gate, and its owner hands the lock
// to one of them. Three locks that differ in the waiter that comes next:
//
//   MCS            the first to arrive            Mellor-Crummey & Scott: a queue, linked forwards
//   LIFO           the last to arrive             a stack
//   reciprocating  the last to arrive before      Dice & Kogan: arrivals are a stack. When the owner's segment is
//                                                 empty, the owner
//                  the last detach                detaches the whole stack as its next segment, and serves that to its
//                                                 end
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner    0: free, no agent waits · HANDED: on its way to a waiter that is GRANTED · else the agent id
//                        of the owner
//   bit 32      NOTICE   HEALTH has a message for the next owner (core: kernel/owner.ts)
//   bit 33      UNSEEN   the owner died before it knew that it owned the lock (core: kernel/owner.ts)
//   bit 34      SEGMENT  SUCCESSOR is not 0 (reciprocating)
//   bits 38-63  last     address of the element that arrived last (elements are aligned to 64 bytes), 0: none
//
// SUCCESSOR, read and written by the owner alone, except for the entry of the first waiter: MCS: the element that
// arrived first · reciprocating: the top of the segment · LIFO: not used
//
// GATE of an element
//
//   FREE ▶ LINKED               [enqueueAtQueuedLock]  it arrives, in the step that makes it `last`
//   LINKED ▶ PARKED             [core: park]           and back [cancelQueuedWait]
//   LINKED, PARKED ▶ PROMISED   [handOverQueued]       the owner is about to hand over to it; back if the box office
//                                                      changed meanwhile
//   PROMISED ▶ GRANTED          [handOverQueued]       the lock is for it; then FREE, and it is the owner [pollQueued,
//                                                      cancelQueuedWait]
//   LINKED ▶ ABANDONED          [cancelQueuedWait]     cancelled: a tombstone; back if its agent waits again meanwhile
//                                                      [core: rejoin]
//   ABANDONED ▶ SPENT           [handOverQueued]       claimed, and taken out; back if the box office changed meanwhile
//
// INVARIANTS
//
//   1. Free means that no agent waits.
//   2. Only the owner takes elements out, and it claims the gate first. So what it read of the element stays true until
//      its compare-and-swap of OFFICE, and an element that left and came back meanwhile is not mistaken for its earlier
//      self.
//   3. The word changes from the owner to HANDED in one write, before the waiter sees GRANTED, so no other agent can
//      take the lock in between. The word names the new owner only after that agent has seen the grant. Otherwise
//      another task of that agent could unlock a lock whose hand-off no task was told of.

import {
  ABANDONED,
  add64,
  AGENT_NOTIFY,
  AGENT_SPARE,
  asElement,
  asGate,
  asLine,
  AT,
  BLOCK_TAG,
  CANCELLED_LEFT_BEHIND,
  cas32,
  cas64,
  CONSISTENT,
  COUNT,
  discard,
  FLAGS,
  FOREIGN,
  FREE,
  GATE,
  get32,
  GRANTED,
  guard,
  HANDED,
  HEALTH,
  high32,
  IDLE,
  isFreed,
  isUnseen,
  LINKED,
  load32,
  load64,
  markUnseen,
  NEXT,
  NOTICE,
  OFFICE,
  orphan,
  OWNER,
  ownerOf,
  pair,
  PARKED,
  plus,
  PROMISED,
  put32,
  put64,
  RACED,
  SEM,
  SHUT,
  SPENT,
  store32,
  TAG,
  TAKEN,
  unguard,
  UNSEEN,
  WAITING,
  wide,
  type AgentAddress,
  type ElementAddress,
  type EntryAddress,
  type Enqueue,
  type Gate,
  type Cancel,
  type LineAddress,
  type Poll,
} from '@sluice/core/kernel';
import { FLAG_MCS, FLAG_RECIPROCATING, SUCCESSOR } from './layout.ts';

/** The lock is passed on: an element to notify, or IDLE. */
type Pass = typeof IDLE | typeof RACED | ElementAddress;
type HandOverQueued = Pass | typeof FOREIGN;

/** In the high half of the word. The bits above are `last`. */
const SEGMENT: i32 = 4;
const FLAG_BITS: i32 = 63;

export function lastOf(office: i64): ElementAddress {
  return asElement(high32(office) & ~FLAG_BITS);
}

function flagsOf(office: i64): i32 {
  return high32(office) & FLAG_BITS;
}

/**
 * The contended path: takes the lock if it is free after all, also with a notice. Otherwise it enqueues the agent's
 * spare element; the agent must have a spare. WAITING: not free, with `mayWait` 0. RACED: call again. Else the element,
 * LINKED.
 *
 * @takes A free queued lock, as `lock`; else a place: the spare element is the last in `OFFICE`
 * @leaves `OFFICE`; the element LINKED with `SEM`, `TAG`, `NEXT`; `AGENT_SPARE` 0; MCS: linked from the one before, or
 *   from `SUCCESSOR`
 * @death `releaseQueuedForDeadOwner`; cancelled
 */
export function enqueueAtQueuedLock(lock: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (ownerOf(office) === 0) {
    return cas64(lock + OFFICE, office, plus(office, wide(get32(agent + OWNER)))) === office ? TAKEN : RACED;
  }
  if (mayWait === 0) return WAITING;
  const last = lastOf(office);
  const element = asElement(get32(agent + AGENT_SPARE));
  write(element, lock, tag, last);
  // Lost wake-up, waiter side: the waiter enters itself, while the lock is owned, in the word that the owner has to
  // change to free the lock (handOverQueued). Either the owner sees the waiter, or this write fails and the waiter
  // looks again.
  if (cas64(lock + OFFICE, office, pair(ownerOf(office), element | flagsOf(office))) !== office) {
    put32(element + GATE, FREE);
    return RACED;
  }
  put32(agent + AGENT_SPARE, 0);
  // The owner waits for this write: it knows that a waiter arrived.
  if ((get32(lock + FLAGS) & FLAG_MCS) !== 0) store32(last !== 0 ? last + NEXT : lock + SUCCESSOR, element);
  return element;
}

function write(element: ElementAddress, lock: LineAddress, tag: i32, last: i32): void {
  put64(element + AT, wide(0));
  put32(element + COUNT, 1);
  put32(element + SEM, lock);
  put32(element + TAG, tag);
  // A queue is linked forwards, to the next arrival; a stack backwards.
  store32(element + NEXT, (get32(lock + FLAGS) & FLAG_MCS) !== 0 ? 0 : last);
  store32(element + GATE, LINKED);
}

/**
 * The contended unlock, for the owner `from`: hands the lock to the next waiter, or frees it. An address: the element
 * of the new owner, to be notified. FOREIGN: `from` does not own it. RACED: call again.
 *
 * @takes The lock, to the next one: the owner's id in `OFFICE` becomes that agent's; or it is freed. Or one tombstone
 *   comes out. Or (reciprocating) the arrivals become the segment
 * @leaves The element's `GATE` GRANTED, or its `OWNER` 0; `SUCCESSOR`; `AGENT_NOTIFY` if it was PARKED
 * @death Notified
 */
export function handOverQueued(lock: LineAddress, agent: AgentAddress, from: i32): HandOverQueued {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  const notice = load32(lock + HEALTH) === CONSISTENT ? 0 : NOTICE;
  const flags = get32(lock + FLAGS);
  // Lost wake-up, owner side: frees the lock only if no waiter arrived, in one compare-and-swap.
  if (lastOf(office) === 0 && (high32(office) & SEGMENT) === 0) {
    return cas64(lock + OFFICE, office, pair(0, notice)) === office ? IDLE : RACED;
  }
  if ((flags & FLAG_MCS) !== 0) return passToFirst(lock, agent, office, notice);
  if ((flags & FLAG_RECIPROCATING) !== 0) return passToSegment(lock, agent, office, notice);
  const last = lastOf(office);
  const gate = claim(last);
  if (gate === FREE) return RACED;
  return pass(lock, agent, office, last, gate, load32(last + NEXT) | notice, 0);
}

function passToFirst(lock: LineAddress, agent: AgentAddress, office: i64, notice: i32): Pass {
  const last = lastOf(office);
  const first = asElement(load32(lock + SUCCESSOR));
  if (first === 0) return RACED;
  const next = load32(first + NEXT);
  if (next === 0 && first !== last) return RACED;
  const gate = claim(first);
  if (gate === FREE) return RACED;
  // Before the compare-and-swap: if no waiter is left, the next to arrive enters itself here.
  store32(lock + SUCCESSOR, next);
  return pass(lock, agent, office, first, gate, (first === last ? 0 : last) | notice, first);
}

function passToSegment(lock: LineAddress, agent: AgentAddress, office: i64, notice: i32): Pass {
  const last = lastOf(office);
  if ((high32(office) & SEGMENT) === 0) {
    const detached = pair(ownerOf(office), SEGMENT | flagsOf(office));
    if (cas64(lock + OFFICE, office, detached) === office) put32(lock + SUCCESSOR, last);
    return RACED;
  }
  const first = asElement(get32(lock + SUCCESSOR));
  const gate = claim(first);
  if (gate === FREE) return RACED;
  const next = load32(first + NEXT);
  put32(lock + SUCCESSOR, next);
  return pass(lock, agent, office, first, gate, last | notice | (next !== 0 ? SEGMENT : 0), first);
}

/**
 * Claims a gate: PROMISED or, for a tombstone, SPENT. Returns the gate that was found, or FREE if it is changing at
 * this moment.
 */
function claim(element: ElementAddress): Gate {
  const gate = asGate(load32(element + GATE));
  // Promised by an owner that died in the middle of this step (`jsEngine`): the recovering agent goes on.
  if (gate === PROMISED) return PARKED;
  if (gate === SPENT) return ABANDONED;
  return cas32(element + GATE, gate, gate === ABANDONED ? SPENT : PROMISED) === gate ? gate : FREE;
}

/**
 * The end of all three disciplines: `element` comes out, and its owner owns the lock unless it cancelled. `successor`:
 * its earlier value.
 */
function pass(
  lock: LineAddress,
  agent: AgentAddress,
  office: i64,
  element: ElementAddress,
  gate: i32,
  rest: i32,
  successor: i32,
): Pass {
  const gone = gate === ABANDONED;
  const to = gone ? ownerOf(office) : HANDED;
  const kept = gone ? high32(office) & UNSEEN : 0;
  if (cas64(lock + OFFICE, office, pair(to, rest | kept)) !== office) {
    if (successor !== 0) store32(lock + SUCCESSOR, successor);
    store32(element + GATE, gate);
    return RACED;
  }
  if (gone) {
    discard(element);
    return RACED;
  }
  if (gate === PARKED) put32(agent + AGENT_NOTIFY, element);
  // Last: from here on the element is its owner's again.
  store32(element + GATE, GRANTED);
  return gate === PARKED ? element : IDLE;
}

/**
 * Checks once. TAKEN: the agent owns the lock, the element is free. SHUT: freed, the element is free. WAITING: neither.
 *
 * @takes The lock that was handed over: HANDED to the agent's id
 * @leaves `GATE` SPENT, `OFFICE`, `GATE` FREE
 * @death `releaseQueuedForDeadOwner`
 */
export function pollQueued(element: ElementAddress): Poll {
  if (load32(element + GATE) !== GRANTED) return WAITING;
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  // The gate is not FREE before the last write to the line: until then the element keeps the line's memory from being
  // reused (guard.ts).
  put32(element + GATE, SPENT);
  ownHanded(asLine(get32(element + SEM)), get32(element + OWNER));
  store32(element + GATE, FREE);
  return TAKEN;
}

/** HANDED to owner. Only the agent of the GRANTED element may, so it cannot fail. Other agents may arrive meanwhile. */
function ownHanded(lock: LineAddress, id: i32): void {
  add64(lock + OFFICE, wide(id - HANDED));
}

/**
 * Cancels a wait. TAKEN: the caller owns the lock. CANCELLED_LEFT_BEHIND: left, the element stays behind. SHUT: freed.
 * RACED: the owner is about to decide. `dead` 1: for a dead agent. A lock that was handed to it is then marked: the
 * agent has not seen that.
 *
 * @takes Its place; or the lock, as `pollQueued`
 * @leaves `GATE` ABANDONED
 * @death The owner of the lock takes the element out
 */
export function cancelQueuedWait(
  agent: AgentAddress,
  element: ElementAddress,
  _entry: EntryAddress,
  dead: i32,
): Cancel {
  // Without a write: callers retry until the owner has handed the lock over.
  if (load32(element + GATE) === PROMISED) return RACED;
  const lock = asLine(get32(element + SEM));
  guard(agent, lock);
  const left = leaveQueue(element);
  if (dead !== 0 && left === TAKEN) markUnseen(lock);
  unguard(agent);
  return left;
}

function leaveQueue(element: ElementAddress): Cancel {
  cas32(element + GATE, PARKED, LINKED);
  const gate = cas32(element + GATE, LINKED, ABANDONED);
  if (gate === LINKED) return CANCELLED_LEFT_BEHIND;
  return gate === GRANTED ? pollQueued(element) : RACED;
}

/**
 * The contended release for a dead owner: as `handOverQueued`, with a notice unless the agent never knew that it was
 * the owner.
 */
export function releaseQueuedForDeadOwner(agent: AgentAddress, lock: LineAddress): HandOverQueued {
  const id = get32(agent + OWNER);
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== id) return FOREIGN;
  if (!isUnseen(office)) orphan(lock);
  return handOverQueued(lock, agent, id);
}
