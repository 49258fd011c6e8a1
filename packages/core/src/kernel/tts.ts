// Steps at a test-and-test-and-set lock (Rudolph & Segall). Whoever finds it free takes it, also past agents that wait: those sleep
// at the bouncer, the semaphore in the same line, and a permit there is only leave to compete again.
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner     0: free · else the agent id of the owner
//   bit 32      NOTICE    HEALTH says something that the next owner has to read (as in mutex.ts)
//   bit 33      UNSEEN    the owner died before it knew that the lock was its own (as in mutex.ts)
//   bit 34      WOKEN     one waiter was woken and has neither got the lock nor gone back to sleep: nobody else is woken
//   bits 35-63  waiters   counted, and not woken
//
//   free ▶ owner             [lockTts, enqueueAtTts]        whether anybody waits or not
//   waiters + 1              [enqueueAtTts]                 then a ticket at the bouncer
//   owner ▶ free             [unlockTts, passTts]        nobody waits, or one is woken already
//   owner ▶ free, waiters-1, WOKEN  [the same]           then one permit at the bouncer
//   free ▶ owner, WOKEN off  [barge]                     the one that was woken gets it
//   waiters + 1, WOKEN off   [requeue]                   it does not: asleep again, with a new ticket
//   waiters - 1, or WOKEN off [cancelAtTts, unwake]     gives up
//
// INVARIANTS
//
//   1. WOKEN is on = one permit was given at the bouncer whose receiver has not settled with the box office.
//   2. When waiters > 0, the lock is owned or WOKEN is on: whoever frees it wakes one, or somebody is awake who will take it, or
//      puts WOKEN off only while the lock is owned. So no wake-up is lost.
//   3. waiters + WOKEN = agents that were counted and neither own the lock since nor gave up: when waiters is 0, who waits knows
//      that the permit under way is its own.

import { announce } from './admit.ts';
import { AT, BLOCK_TAG, GATE, GRANT, HEALTH, LEAVING, OFFICE, OWNER, SEM, TICKET } from './layout.ts';
import { draw, hasNotice, NOTICE, ownerOf } from './mutex.ts';
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

/** As the word would be without WOKEN. */
function unwoken(office: i64): i32 {
  return high32(office) & ~WOKEN;
}

/** Takes the lock if it is free and has no notice. WAITING: it is not, has one, or another agent was faster. */
export function lockTts(lock: i32, tag: i32, id: i32): i32 {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  // The first try is a bare test-and-set: where nobody waits, a load before it costs 3 ns. Whoever has to try again looks first
  // (enqueueAtTts), as a try that fails takes the line away from the owner.
  const office = cas64(lock + OFFICE, wide(0), wide(id));
  if (office === wide(0)) return TAKEN;
  if (ownerOf(office) !== 0 || hasNotice(office)) return WAITING;
  return cas64(lock + OFFICE, office, plus(office, wide(id))) === office ? TAKEN : WAITING;
}

/** As `lockTts`, also with a notice; else is counted and draws a ticket. Results as of `enqueueAtMutex`. */
export function enqueueAtTts(lock: i32, tag: i32, agent: i32, mayWait: i32): i32 {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (ownerOf(office) === 0) {
    return cas64(lock + OFFICE, office, plus(office, wide(get32(agent + OWNER)))) === office ? TAKEN : RACED;
  }
  if (mayWait === 0) return WAITING;
  // No lost wake-up, this end: counted while it is owned, so whoever owns it sees it at its unlock (free).
  if (cas64(lock + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;
  return draw(lock, tag, agent);
}

/** Frees the lock and wakes one waiter, if none is awake. RACED: call `passTts`. FOREIGN: not the owner. NEEDS_WALK: run the walk. */
export function unlockTts(lock: i32, tag: i32, agent: i32, id: i32): i32 {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = cas64(lock + OFFICE, wide(id), wide(0));
  if (office === wide(id)) return IDLE;
  if (ownerOf(office) !== id) return FOREIGN;
  return hasNotice(office) ? RACED : free(lock, agent, office, 0);
}

/** As `unlockTts` for the owner `from`, leaving what HEALTH says to the next one. RACED: call again. */
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
  // No lost wake-up, the other end: one of those counted by `enqueueAtTts` is promised the permit that follows.
  const woken = ((waiters - 1) << WAITERS) | WOKEN | notice;
  if (cas64(lock + OFFICE, office, pair(0, woken)) !== office) return RACED;
  return announce(lock, agent, add64(lock + GRANT, wide(1)), 1);
}

/** The one that was woken, agent `id`, competes. WAITING: the lock is owned, or the word changed. */
export function barge(lock: i32, id: i32): i32 {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== 0) return WAITING;
  return cas64(lock + OFFICE, office, pair(id, unwoken(office))) === office ? TAKEN : WAITING;
}

/** It lost: it goes back to sleep with a new ticket. QUEUED: link it. GRANTED: the lock is free after all, or the word changed. */
export function requeue(element: i32): i32 {
  const lock = get32(element + SEM);
  const office = load64(lock + OFFICE);
  // Only while somebody owns it, who will see the waiter and no WOKEN.
  if (ownerOf(office) === 0) return GRANTED;
  if (cas64(lock + OFFICE, office, pair(ownerOf(office), unwoken(office) + WAITER)) !== office) return GRANTED;
  put64(element + AT, add64(lock + TICKET, wide(1)));
  put32(element + LEAVING, 0);
  store32(element + GATE, QUEUED);
  return QUEUED;
}

/** It gives up: TAKEN when the lock is free, as then nobody else would be woken for it. CANCELLED: left. RACED: call again. */
export function unwake(lock: i32, id: i32): i32 {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) === 0) return barge(lock, id) === TAKEN ? TAKEN : RACED;
  return cas64(lock + OFFICE, office, pair(ownerOf(office), unwoken(office))) === office ? CANCELLED : RACED;
}

/** One waiter less. TAKEN: the permit under way is this waiter's. RACED: call again. */
export function cancelAtTts(lock: i32): i32 {
  const office = load64(lock + OFFICE);
  if (waitersOf(office) === 0) return TAKEN;
  return cas64(lock + OFFICE, office, minus(office, pair(0, WAITER))) === office ? CANCELLED : RACED;
}
