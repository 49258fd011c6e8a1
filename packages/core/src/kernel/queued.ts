// Steps at a queued lock: its waiters hang at its own words, each asleep at its own gate, and its owner hands the lock to one of
// them. Three locks that differ in whom it takes:
//
//   MCS            who came first            Mellor-Crummey & Scott: a queue, linked forwards
//   LIFO           who came last             a stack
//   reciprocating  who came last, of those   Dice & Kogan: arrivals are a stack; when the owner needs a next one it takes the whole
//                  before the last detach    stack as its segment, and serves that to its end before it looks at arrivals again
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner    0: free, nobody waits · HANDED: on its way to a waiter that is GRANTED · else the agent id of the owner
//   bit 32      NOTICE   HEALTH says something that the next owner has to read (as in mutex.ts)
//   bit 33      UNSEEN   the owner died before it knew that the lock was its own (as in mutex.ts)
//   bit 34      SEGMENT  SUCCESSOR is not 0 (reciprocating)
//   bits 38-63  last     address of the element that came last (elements lie on 64 bytes), 0: nobody came
//
// SUCCESSOR, read and written by the owner alone, but for the first waiter's entry: MCS: the element that came first ·
// reciprocating: the top of the segment · LIFO: not used
//
// GATE of an element
//
//   FREE ▶ LINKED               [enqueueAtQueuedLock]   it came, in the step that makes it `last`
//   LINKED ▶ PARKED             [park]           and back [leave]
//   LINKED, PARKED ▶ PROMISED   [handOverQueued] the owner is about to hand over to it; back when the box office changed meanwhile
//   PROMISED ▶ GRANTED          [handOverQueued] the lock is for it; then FREE, and it is the owner [poll, leave]
//   LINKED ▶ ABANDONED          [leave]          gave up: a tombstone
//   ABANDONED ▶ SPENT           [handOverQueued] claimed, and taken out; back when the box office changed meanwhile
//
// INVARIANTS
//
//   1. Free means that nobody waits.
//   2. Only the owner takes elements out, and it claims the gate first: so what it read of the element stays true until its
//      compare-and-swap of OFFICE, and an element that came back meanwhile is not mistaken for the one that was there.
//   3. The word leaves the owner in one write, HANDED, before the waiter sees GRANTED; so nobody else can take the lock in between.
//      It names the new owner when that has looked, not before: else another task of that agent could unlock what none was told of.

import { discard } from './chain.ts';
import {
  AGENT_NOTIFY,
  AGENT_SPARE,
  AT,
  BLOCK_TAG,
  COUNT,
  FLAGS,
  FLAG_MCS,
  FLAG_RECIPROCATING,
  GATE,
  HEALTH,
  NEXT,
  OFFICE,
  OWNER,
  SEM,
  SUCCESSOR,
  TAG,
} from './layout.ts';
import { NOTICE, occupyMutex, ownerOf } from './mutex.ts';
import { ABANDONED, CONSISTENT, FOREIGN, FREE, CANCELLED_LEFT_BEHIND, GRANTED, HANDED, IDLE, LINKED, PARKED, PROMISED, RACED, SHUT, SPENT, TAKEN, UNSEEN, WAITING } from './states.ts';
import { cas32, cas64, get32, high32, load32, load64, pair, plus, put32, put64, store32, wide } from './words.ts';

/** In the high half of the word; what is left are the bits of `last`. */
const SEGMENT: i32 = 4;
const FLAG_BITS: i32 = 63;

export function lastOf(office: i64): i32 {
  return high32(office) & ~FLAG_BITS;
}

function flagsOf(office: i64): i32 {
  return high32(office) & FLAG_BITS;
}

/**
 * The contended visit: takes the lock if it is free after all, also with a notice; else comes to wait with the agent's spare
 * element: it must have one. Results as of `enqueueAtMutex`, but the element is LINKED.
 */
export function enqueueAtQueuedLock(lock: i32, tag: i32, agent: i32, mayWait: i32): i32 {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (ownerOf(office) === 0) {
    return cas64(lock + OFFICE, office, plus(office, wide(get32(agent + OWNER)))) === office ? TAKEN : RACED;
  }
  if (mayWait === 0) return WAITING;
  const last = lastOf(office);
  const element = get32(agent + AGENT_SPARE);
  write(element, lock, tag, last);
  // No lost wake-up, this end: it comes while the lock is owned, in the word that the owner has to change to give it up
  // (handOverQueued): either that sees who came, or this write fails and it looks again.
  if (cas64(lock + OFFICE, office, pair(ownerOf(office), element | flagsOf(office))) !== office) {
    put32(element + GATE, FREE);
    return RACED;
  }
  put32(agent + AGENT_SPARE, 0);
  // Until this the owner waits for it: it knows that somebody came.
  if ((get32(lock + FLAGS) & FLAG_MCS) !== 0) store32(last !== 0 ? last + NEXT : lock + SUCCESSOR, element);
  return element;
}

function write(element: i32, lock: i32, tag: i32, last: i32): void {
  put64(element + AT, wide(0));
  put32(element + COUNT, 1);
  put32(element + SEM, lock);
  put32(element + TAG, tag);
  // A queue is linked forwards, by who comes next; a stack backwards.
  store32(element + NEXT, (get32(lock + FLAGS) & FLAG_MCS) !== 0 ? 0 : last);
  store32(element + GATE, LINKED);
}

/**
 * The contended way out, for the owner `from`: to the next one, or free. An address: the element of the new owner, to be notified.
 * FOREIGN: `from` does not own it. RACED: call again.
 */
export function handOverQueued(lock: i32, agent: i32, from: i32): i32 {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  const notice = load32(lock + HEALTH) === CONSISTENT ? 0 : NOTICE;
  const flags = get32(lock + FLAGS);
  // No lost wake-up, the other end: free only if nobody came, in one compare-and-swap.
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

function passToFirst(lock: i32, agent: i32, office: i64, notice: i32): i32 {
  const last = lastOf(office);
  const first = load32(lock + SUCCESSOR);
  if (first === 0) return RACED;
  const next = load32(first + NEXT);
  if (next === 0 && first !== last) return RACED;
  const gate = claim(first);
  if (gate === FREE) return RACED;
  // Before the compare-and-swap: with nobody left the next one to come writes itself down here.
  store32(lock + SUCCESSOR, next);
  return pass(lock, agent, office, first, gate, (first === last ? 0 : last) | notice, first);
}

function passToSegment(lock: i32, agent: i32, office: i64, notice: i32): i32 {
  const last = lastOf(office);
  if ((high32(office) & SEGMENT) === 0) {
    const detached = pair(ownerOf(office), SEGMENT | flagsOf(office));
    if (cas64(lock + OFFICE, office, detached) === office) put32(lock + SUCCESSOR, last);
    return RACED;
  }
  const first = get32(lock + SUCCESSOR);
  const gate = claim(first);
  if (gate === FREE) return RACED;
  const next = load32(first + NEXT);
  put32(lock + SUCCESSOR, next);
  return pass(lock, agent, office, first, gate, last | notice | (next !== 0 ? SEGMENT : 0), first);
}

/** PROMISED or, a tombstone, SPENT: the gate that was found; FREE: it changes at this moment. */
function claim(element: i32): i32 {
  const gate = load32(element + GATE);
  // Promised by an owner that died in the middle of this (engine 'js'): who recovers it goes on.
  if (gate === PROMISED) return PARKED;
  if (gate === SPENT) return ABANDONED;
  return cas32(element + GATE, gate, gate === ABANDONED ? SPENT : PROMISED) === gate ? gate : FREE;
}

/** The end of all three: `element` comes out, and its owner owns the lock unless it gave up. `successor`: as it was before. */
function pass(lock: i32, agent: i32, office: i64, element: i32, gate: i32, rest: i32, successor: i32): i32 {
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

/** Gives up. TAKEN: it owns the lock. CANCELLED_LEFT_BEHIND: left, the element stays behind. RACED: the owner is about to decide. */
export function leaveQueue(element: i32): i32 {
  const gate = cas32(element + GATE, LINKED, ABANDONED);
  if (gate === LINKED) return CANCELLED_LEFT_BEHIND;
  if (gate !== GRANTED) return RACED;
  store32(element + GATE, FREE);
  occupyMutex(get32(element + SEM), get32(element + OWNER));
  return TAKEN;
}
