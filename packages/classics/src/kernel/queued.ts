// Steps at a queued lock. Its waiters are linked from its own words, and each sleeps at its own gate. Its owner hands
// the lock to one of them. Three locks differ in the waiter that comes next:
//
//   MCS            the first to arrive            Mellor-Crummey & Scott: a queue, linked forwards
//   LIFO           the last to arrive             a stack
//   reciprocating  the last to arrive before      Dice & Kogan: arrivals are a stack. When the owner's segment is
//                  the last detach                empty, the owner detaches the whole stack as its next segment, and
//                                                 serves that to its end
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner    0: free, no agent waits · HANDED: on its way to a waiter that is GRANTED · else the agent id
//                        of the owner
//   bit 32      NOTICE   HEALTH has a message for the next owner (core: kernel/owner-word.ts)
//   bit 33      UNSEEN   the owner died before it knew that it owned the lock (core: kernel/owner-word.ts)
//   bit 34      SEGMENT  NEXT_WAITER is not 0 (reciprocating)
//   bits 38-63  last     address of the element that arrived last (elements are aligned to 64 bytes), 0: none
//
// NEXT_WAITER, read and written by the owner alone, except for the entry of the first waiter: MCS: the element that
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
//   2. Only the owner takes elements out, and it claims the gate first. So the words that it read of the element stay
//      unchanged until its compare-and-swap of OFFICE. The element cannot leave and come back in between.
//   3. The word changes from the owner to HANDED in one write, before the waiter sees GRANTED, so no other agent can
//      take the lock in between. The word names the new owner only after that agent has seen the grant. Otherwise
//      another task of that agent could unlock the lock before any task knows of the hand-off.

import {
  ABANDONED,
  AGENT_NOTIFY,
  AGENT_SPARE,
  asElement,
  asGate,
  asLine,
  DRAWN,
  BLOCK_TAG,
  CANCELLED_LEFT_BEHIND,
  CONSISTENT,
  COUNT,
  FLAGS,
  FOREIGN,
  FREE,
  GATE,
  GRANTED,
  HANDED,
  HEALTH,
  IDLE,
  LINKED,
  NEXT,
  NOTICE,
  OFFICE,
  OWNER,
  PARKED,
  PROMISED,
  RACED,
  LINE,
  SHUT,
  SPENT,
  TAG,
  TAKEN,
  UNSEEN,
  WAITING,
  type AgentAddress,
  type ElementAddress,
  type EntryAddress,
  type Enqueue,
  type GateState,
  type Cancel,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import {
  add64,
  cas32,
  cas64,
  discard,
  get32,
  setHazard,
  high32,
  isFreed,
  isUnseen,
  load32,
  load64,
  markUnseen,
  orphan,
  ownerOf,
  pair,
  plus,
  put32,
  put64,
  store32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { FLAG_MCS, FLAG_RECIPROCATING, NEXT_WAITER } from './layout.ts';

/** The result of passing the lock on: an element to notify, IDLE or RACED. */
type Pass = typeof IDLE | typeof RACED | ElementAddress;
type HandOverQueued = Pass | typeof FOREIGN;

/** A bit in the high half of the word. The bits above are `last`. */
const SEGMENT: i32 = 4;
const FLAG_BITS: i32 = 63;

export function lastOf(office: i64): ElementAddress {
  return asElement(high32(office) & ~FLAG_BITS);
}

function flagsOf(office: i64): i32 {
  return high32(office) & FLAG_BITS;
}

/**
 * Takes the lock on the contended path if it is free after all, also with a notice. Otherwise enqueues the agent's
 * spare element, and returns it LINKED. The agent must have a spare. Returns WAITING if the lock is not free and
 * `mayWait` is 0, and RACED if the caller must call again.
 *
 * @takes A free queued lock: the owner in `OFFICE`. Or a place: the spare element is the last in `OFFICE`
 * @leaves `OFFICE`; the element LINKED with `LINE`, `TAG`, `NEXT`; `AGENT_SPARE` 0; MCS: linked from the previous
 *   element, or from `NEXT_WAITER`
 * @death `releaseQueuedForDeadOwner`; or the wait is cancelled
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
  // Lost wake-up, waiter side: while the lock is owned, the waiter enters itself in the word that the owner must change
  // to free the lock (`handOverQueued`). Either the owner sees the waiter, or this write fails and the waiter checks
  // again.
  if (cas64(lock + OFFICE, office, pair(ownerOf(office), element | flagsOf(office))) !== office) {
    put32(element + GATE, FREE);
    return RACED;
  }
  put32(agent + AGENT_SPARE, 0);
  // The owner has seen the waiter in OFFICE, and retries until this write links it.
  if ((get32(lock + FLAGS) & FLAG_MCS) !== 0) store32(last !== 0 ? last + NEXT : lock + NEXT_WAITER, element);
  return element;
}

function write(element: ElementAddress, lock: LineAddress, tag: i32, last: i32): void {
  put64(element + DRAWN, wide(0));
  put32(element + COUNT, 1);
  put32(element + LINE, lock);
  put32(element + TAG, tag);
  // A queue is linked forwards, to the next arrival. A stack is linked backwards.
  store32(element + NEXT, (get32(lock + FLAGS) & FLAG_MCS) !== 0 ? 0 : last);
  store32(element + GATE, LINKED);
}

/**
 * Unlocks on the contended path, for the owner `from`: hands the lock to the next waiter, or frees it. Returns the
 * element of the new owner if it must be notified. Returns FOREIGN if `from` does not own the lock, and RACED if the
 * caller must call again.
 *
 * @takes The lock: the owner's id in `OFFICE` becomes HANDED, for the next waiter, or the lock is freed. Or one
 *   tombstone is taken out. Or (reciprocating) the arrivals become the segment
 * @leaves The element's `GATE` GRANTED, or its `OWNER` 0; `NEXT_WAITER`; `AGENT_NOTIFY` if it was PARKED
 * @death The new owner is notified
 */
export function handOverQueued(lock: LineAddress, agent: AgentAddress, from: i32): HandOverQueued {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  const notice = load32(lock + HEALTH) === CONSISTENT ? 0 : NOTICE;
  const flags = get32(lock + FLAGS);
  // Lost wake-up, owner side: one compare-and-swap frees the lock only if no waiter has arrived. Pairs with
  // `enqueueAtQueuedLock`, which enters the waiter in the same word. A plain write could overwrite a waiter that
  // arrived after the load.
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
  const first = asElement(load32(lock + NEXT_WAITER));
  if (first === 0) return RACED;
  const next = load32(first + NEXT);
  if (next === 0 && first !== last) return RACED;
  const gate = claim(first);
  if (gate === FREE) return RACED;
  // Before the compare-and-swap: if no waiter is left, the next arrival enters itself here.
  store32(lock + NEXT_WAITER, next);
  return pass(lock, agent, office, first, gate, (first === last ? 0 : last) | notice, first);
}

function passToSegment(lock: LineAddress, agent: AgentAddress, office: i64, notice: i32): Pass {
  const last = lastOf(office);
  if ((high32(office) & SEGMENT) === 0) {
    const detached = pair(ownerOf(office), SEGMENT | flagsOf(office));
    if (cas64(lock + OFFICE, office, detached) === office) put32(lock + NEXT_WAITER, last);
    return RACED;
  }
  const first = asElement(get32(lock + NEXT_WAITER));
  const gate = claim(first);
  if (gate === FREE) return RACED;
  const next = load32(first + NEXT);
  put32(lock + NEXT_WAITER, next);
  return pass(lock, agent, office, first, gate, last | notice | (next !== 0 ? SEGMENT : 0), first);
}

/**
 * Claims a gate: PROMISED or, for a tombstone, SPENT. Returns the gate that it found, or FREE if the gate is changing
 * at this moment.
 */
function claim(element: ElementAddress): GateState {
  const gate = asGate(load32(element + GATE));
  // An owner that died in this step (`jsEngine`) has promised the gate. The recovering agent continues.
  if (gate === PROMISED) return PARKED;
  if (gate === SPENT) return ABANDONED;
  return cas32(element + GATE, gate, gate === ABANDONED ? SPENT : PROMISED) === gate ? gate : FREE;
}

/**
 * Passes the lock on, for all three disciplines: `element` is taken out, and its agent owns the lock unless it
 * cancelled. `successor` is the earlier value of NEXT_WAITER.
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
    if (successor !== 0) store32(lock + NEXT_WAITER, successor);
    store32(element + GATE, gate);
    return RACED;
  }
  if (gone) {
    discard(element);
    return RACED;
  }
  if (gate === PARKED) put32(agent + AGENT_NOTIFY, element);
  // Written last: from here on the element belongs to its agent again.
  store32(element + GATE, GRANTED);
  return gate === PARKED ? element : IDLE;
}

/**
 * Checks a wait once. Returns TAKEN if the agent owns the lock, and SHUT if the lock was freed. Then the element is
 * free. Otherwise returns WAITING.
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
  // The gate becomes FREE only after the last write to the line: until then the element keeps the line's memory from
  // being reused (core: kernel/hazard.ts).
  put32(element + GATE, SPENT);
  ownHanded(asLine(get32(element + LINE)), get32(element + OWNER));
  store32(element + GATE, FREE);
  return TAKEN;
}

/**
 * Changes HANDED to the owner. Only the agent of the GRANTED element does this, so it cannot fail. Other agents may
 * arrive at the same time.
 */
function ownHanded(lock: LineAddress, id: i32): void {
  add64(lock + OFFICE, wide(id - HANDED));
}

/**
 * Cancels a wait. Returns CANCELLED_LEFT_BEHIND if the wait ended: the element stays behind. Returns TAKEN if the
 * caller owns the lock, SHUT if the lock was freed, and RACED if the owner is about to decide. `dead` is 1 for a dead
 * agent. If the lock was handed to a dead agent, it is marked as unseen by that agent.
 *
 * @takes The waiter's place; or the lock, as `pollQueued`
 * @leaves `GATE` ABANDONED
 * @death The owner of the lock takes the element out
 */
export function cancelQueuedWait(
  agent: AgentAddress,
  element: ElementAddress,
  _entry: EntryAddress,
  dead: i32,
): Cancel {
  // Writes nothing here: callers retry until the owner has handed the lock over.
  if (load32(element + GATE) === PROMISED) return RACED;
  const lock = asLine(get32(element + LINE));
  setHazard(agent, lock);
  const left = leaveQueue(element);
  if (dead !== 0 && left === TAKEN) markUnseen(lock);
  clearHazard(agent);
  return left;
}

function leaveQueue(element: ElementAddress): Cancel {
  cas32(element + GATE, PARKED, LINKED);
  const gate = cas32(element + GATE, LINKED, ABANDONED);
  if (gate === LINKED) return CANCELLED_LEFT_BEHIND;
  return gate === GRANTED ? pollQueued(element) : RACED;
}

/**
 * Hands on the lock of a dead owner as `handOverQueued` does, with a notice unless the agent never knew that it was the
 * owner.
 */
export function releaseQueuedForDeadOwner(agent: AgentAddress, lock: LineAddress): HandOverQueued {
  const id = get32(agent + OWNER);
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== id) return FOREIGN;
  if (!isUnseen(office)) orphan(lock);
  return handOverQueued(lock, agent, id);
}
