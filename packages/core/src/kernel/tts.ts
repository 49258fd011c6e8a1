// Steps at a test-and-test-and-set lock (Rudolph & Segall). An agent that finds it free takes it, even past waiting agents. Those sleep at
// the bouncer, the semaphore in the same line, and a permit there only allows to compete again.
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner     0: free · else the agent id of the owner
//   bit 32      NOTICE    HEALTH has a message for the next owner (as in mutex.ts)
//   bit 33      UNSEEN    the owner died before it knew that it owned the lock (as in mutex.ts)
//   bit 34      WOKEN     one waiter was woken and has neither got the lock nor gone back to sleep: no other waiter is woken
//   bits 35-63  waiters   counted, and not woken
//
//   free ▶ owner             [lockTts, enqueueAtTts]     with or without waiters
//   waiters + 1              [enqueueAtTts]              then a ticket at the bouncer
//   owner ▶ free             [unlockTts, passTts]        no agent waits, or one is woken already
//   owner ▶ free, waiters-1, WOKEN  [the same]           then one permit at the bouncer
//   free ▶ owner, WOKEN off  [barge]                     the woken waiter gets it
//   waiters + 1, WOKEN off   [requeue]                   it does not: asleep again, with a new ticket
//   waiters - 1, or WOKEN off [cancelAtTts, unwake]      cancels
//
// INVARIANTS
//
//   1. WOKEN is on = one permit was released at the bouncer whose receiver has not settled with the box office.
//   2. When waiters > 0, the lock is owned or WOKEN is on. An owner that frees the lock wakes a waiter, or a woken waiter is awake; that
//      waiter takes the lock, or turns WOKEN off only while the lock is owned. So no wake-up is lost.
//   3. waiters + WOKEN = agents that were counted and have neither owned the lock since nor cancelled. When waiters is 0, a waiter knows
//      that the permit under way is its own.

import { announce } from './admit.ts';
import { AT, BLOCK_TAG, GATE, GRANT, HEALTH, LEAVING, OFFICE, OWNER, SEM, TICKET } from './layout.ts';
import { draw } from './bouncer.ts';
import { hasNotice, NOTICE, ownerOf } from './owner.ts';
import { CONSISTENT, FOREIGN, GRANTED, IDLE, CANCELLED, QUEUED, RACED, SHUT, TAKEN, WAITING } from './states.ts';
import { add64, cas64, get32, high32, load32, load64, minus, pair, plus, put32, put64, store32, wide } from './words.ts';

/** In the high half of the word. */
const WOKEN: i32 = 4;
const WAITER: i32 = 8;
const WAITERS: i32 = 3; // shift

function waitersOf(office: i64): i32 {
  return high32(office) >>> WAITERS;
}

function isWoken(office: i64): boolean {
  return (high32(office) & WOKEN) !== 0;
}

/** The high half of the word without WOKEN. */
function unwoken(office: i64): i32 {
  return high32(office) & ~WOKEN;
}

/** Takes the lock if it is free and has no notice. WAITING: it is owned, has a notice, or another agent was faster. */
export function lockTts(lock: i32, tag: i32, id: i32): i32 {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  // The first attempt is a bare test-and-set: without waiters, a load before it costs 3 ns. Later attempts load first (enqueueAtTts),
  // because an attempt that fails takes the cache line away from the owner.
  const office = cas64(lock + OFFICE, wide(0), wide(id));
  if (office === wide(0)) return TAKEN;
  if (ownerOf(office) !== 0 || hasNotice(office)) return WAITING;
  return cas64(lock + OFFICE, office, plus(office, wide(id))) === office ? TAKEN : WAITING;
}

/** As `lockTts`, also with a notice. If the lock is owned, counts the agent and draws a ticket. Results as of `enqueueAtMutex`. */
export function enqueueAtTts(lock: i32, tag: i32, agent: i32, mayWait: i32): i32 {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (ownerOf(office) === 0) {
    return cas64(lock + OFFICE, office, plus(office, wide(get32(agent + OWNER)))) === office ? TAKEN : RACED;
  }
  if (mayWait === 0) return WAITING;
  // Lost wake-up, waiter side: count the waiter while the lock is owned, so that the owner sees it at its unlock (free).
  if (cas64(lock + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;
  return draw(lock, tag, agent);
}

/**
 * Frees the lock and wakes one waiter, if none is awake. RACED: call `passTts`. FOREIGN: the caller is not the owner. NEEDS_WALK: run the
 * walk.
 */
export function unlockTts(lock: i32, tag: i32, agent: i32, id: i32): i32 {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = cas64(lock + OFFICE, wide(id), wide(0));
  if (office === wide(id)) return IDLE;
  if (ownerOf(office) !== id) return FOREIGN;
  return hasNotice(office) ? RACED : free(lock, agent, office, 0);
}

/** As `unlockTts` for the owner `from`, and passes a notice on to the next owner if HEALTH has a message. RACED: call again. */
export function passTts(lock: i32, agent: i32, from: i32): i32 {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  return free(lock, agent, office, load32(lock + HEALTH) === CONSISTENT ? 0 : NOTICE);
}

function free(lock: i32, agent: i32, office: i64, notice: i32): i32 {
  const waiters = waitersOf(office);
  if (waiters === 0 || isWoken(office)) {
    const rest = (waiters << WAITERS) | (high32(office) & WOKEN) | notice;
    return cas64(lock + OFFICE, office, pair(0, rest)) === office ? IDLE : RACED;
  }
  // Lost wake-up, owner side: this promises the permit that follows to one of the waiters that `enqueueAtTts` counted.
  const woken = ((waiters - 1) << WAITERS) | WOKEN | notice;
  if (cas64(lock + OFFICE, office, pair(0, woken)) !== office) return RACED;
  return announce(lock, agent, add64(lock + GRANT, wide(1)), 1);
}

/** The woken waiter, agent `id`, competes. WAITING: the lock is owned, or the word changed. */
export function barge(lock: i32, id: i32): i32 {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== 0) return WAITING;
  return cas64(lock + OFFICE, office, pair(id, unwoken(office))) === office ? TAKEN : WAITING;
}

/** The woken waiter lost: it goes back to sleep with a new ticket. QUEUED: link it. GRANTED: the lock is free after all, or the word changed. */
export function requeue(element: i32): i32 {
  const lock = get32(element + SEM);
  const office = load64(lock + OFFICE);
  // Only while an agent owns the lock. That owner will see the waiter and no WOKEN.
  if (ownerOf(office) === 0) return GRANTED;
  if (cas64(lock + OFFICE, office, pair(ownerOf(office), unwoken(office) + WAITER)) !== office) return GRANTED;
  put64(element + AT, add64(lock + TICKET, wide(1)));
  put32(element + LEAVING, 0);
  store32(element + GATE, QUEUED);
  return QUEUED;
}

/**
 * The woken waiter cancels. TAKEN: the lock was free and the waiter takes it, as no other waiter would be woken for it. CANCELLED: left.
 * RACED: call again.
 */
export function unwake(lock: i32, id: i32): i32 {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) === 0) return barge(lock, id) === TAKEN ? TAKEN : RACED;
  return cas64(lock + OFFICE, office, pair(ownerOf(office), unwoken(office))) === office ? CANCELLED : RACED;
}

/** Removes one waiter from the count. TAKEN: the permit under way is this waiter's. RACED: call again. */
export function cancelAtTts(lock: i32): i32 {
  const office = load64(lock + OFFICE);
  if (waitersOf(office) === 0) return TAKEN;
  return cas64(lock + OFFICE, office, minus(office, pair(0, WAITER))) === office ? CANCELLED : RACED;
}
