// Steps at the box office of a mutex. Who waits there waits at the bouncer: the semaphore in the same line.
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner     0: free · HANDED: on its way to the next in line · else the agent id of the owner
//   bit 32      NOTICE    HEALTH says something that the next owner has to read: only the contended path looks there
//   bit 33      UNSEEN    the owner died before it knew that the lock was its own
//   bits 34-63  waiters   counted at the box office, and no handover is under way for them
//
//   free ▶ owner               [lock, enqueueAtMutex]            nobody waits
//   owner ▶ free               [unlock, handOver]        nobody waits
//   waiters + 1                [enqueueAtMutex]                  then a ticket at the bouncer
//   owner ▶ HANDED, waiters-1  [handOver]                then one permit at the bouncer
//   HANDED ▶ owner             [occupy]                  who got that permit
//   waiters - 1                [cancelAtOffice]                 gives up; with no waiters left the handover under way is its own
//
// INVARIANTS
//
//   1. Free means that nobody waits: whoever finds it free is the only one, and tryLock never barges.
//   2. waiters + (1 while HANDED) = agents that were counted and neither own the lock since nor gave up. So while it is HANDED
//      and waiters is 0, the one that waits knows that the handover is for it.
//   3. Permits given at the bouncer are handovers, passed on by whoever gave up in between; tickets are waiters that were counted.
//      Each handover is for a waiter that is counted, so no permit is left over when nobody waits (leave.ts).

import { announce, queue } from './admit.ts';
import { BLOCK_TAG, DEPTH, GRANT, HEALTH, LEAVING, OFFICE, OWNER, TICKET } from './layout.ts';
import { CONSISTENT, FOREIGN, FULL, HANDED, IDLE, MOST_DEPTH, CANCELLED, RACED, SHUT, TAKEN, UNSEEN, WAITING } from './states.ts';
import { add64, cas64, get32, high32, load32, load64, low32, minus, pair, plus, put32, wide } from './words.ts';

/** In the high half of the word, as UNSEEN. */
export const NOTICE: i32 = 1;
const WAITERS: i32 = 2; // shift
const WAITER: i32 = 4; // 1 << WAITERS

export function ownerOf(office: i64): i32 {
  return low32(office);
}

function waitersOf(office: i64): i32 {
  return high32(office) >>> WAITERS;
}

/** Takes the mutex if it is free and has no notice. WAITING: it is not, or has one. */
export function lock(mutex: i32, tag: i32, id: i32): i32 {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  return cas64(mutex + OFFICE, wide(0), wide(id)) === wide(0) ? TAKEN : WAITING;
}

/** Frees the mutex if this agent owns it and nobody waits. RACED: somebody does, or there is a notice, or it is not ours. */
export function unlock(mutex: i32, tag: i32, id: i32): i32 {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  return cas64(mutex + OFFICE, wide(id), wide(0)) === wide(id) ? IDLE : RACED;
}

/** As `lock`, of a recursive mutex: its owner goes one deeper. FULL: as deep as may be. */
export function relock(mutex: i32, tag: i32, id: i32): i32 {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const found = cas64(mutex + OFFICE, wide(0), wide(id));
  if (found === wide(0)) return TAKEN;
  if (ownerOf(found) !== id) return WAITING;
  const depth = get32(mutex + DEPTH);
  if (depth === MOST_DEPTH - 1) return FULL;
  put32(mutex + DEPTH, depth + 1);
  return TAKEN;
}

/** As `unlock`, of a recursive mutex: its owner comes one up, and only from the outermost lock it is freed. */
export function unrelock(mutex: i32, tag: i32, id: i32): i32 {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  if (ownerOf(load64(mutex + OFFICE)) !== id) return FOREIGN;
  const depth = get32(mutex + DEPTH);
  if (depth === 0) return cas64(mutex + OFFICE, wide(id), wide(0)) === wide(id) ? IDLE : RACED;
  put32(mutex + DEPTH, depth - 1);
  return IDLE;
}

/**
 * The contended visit: takes the mutex if it is free after all, also with a notice; else is counted and draws a ticket.
 * WAITING: not free, with `mayWait` 0. RACED: call again. Else the agent's spare element, QUEUED: it must have one.
 */
export function enqueueAtMutex(mutex: i32, tag: i32, agent: i32, mayWait: i32): i32 {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) === 0) {
    return cas64(mutex + OFFICE, office, plus(office, wide(get32(agent + OWNER)))) === office ? TAKEN : RACED;
  }
  if (mayWait === 0) return WAITING;
  // No lost wake-up, this end: counted first; whoever unlocks from here on sees it (handOver), or was before and left it free.
  if (cas64(mutex + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;
  return draw(mutex, tag, agent);
}

/** A ticket at a bouncer: the agent's spare element, QUEUED. */
export function draw(bouncer: i32, tag: i32, agent: i32): i32 {
  const element = queue(agent, bouncer, tag, 1, add64(bouncer + TICKET, wide(1)));
  put32(element + LEAVING, 0);
  return element;
}

/**
 * The contended way out, for the owner `from`: to the next in line, or free. FOREIGN: `from` does not own it. RACED: call
 * again. NEEDS_WALK: run the walk.
 */
export function handOver(mutex: i32, agent: i32, from: i32): i32 {
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  const notice = load32(mutex + HEALTH) === CONSISTENT ? 0 : NOTICE;
  const waiters = waitersOf(office);
  if (waiters === 0) return cas64(mutex + OFFICE, office, pair(0, notice)) === office ? IDLE : RACED;
  // No lost wake-up, the other end: one of those counted by `enqueueAtMutex` is promised the mutex here, and its permit follows.
  if (cas64(mutex + OFFICE, office, pair(HANDED, ((waiters - 1) << WAITERS) | notice)) !== office) return RACED;
  return announce(mutex, agent, add64(mutex + GRANT, wide(1)), 1);
}

/** The permit of a handover was got: HANDED to owner. Only its receiver may, so it cannot fail; others may be counted meanwhile. */
export function occupyMutex(mutex: i32, id: i32): void {
  add64(mutex + OFFICE, wide(id - HANDED));
}

/** A dead agent became owner without knowing: of a mutex, or of any lock with such a word. */
export function markUnseen(mutex: i32): void {
  add64(mutex + OFFICE, pair(0, UNSEEN));
}

export function isUnseen(office: i64): boolean {
  return (high32(office) & UNSEEN) !== 0;
}

export function hasNotice(office: i64): boolean {
  return (high32(office) & NOTICE) !== 0;
}

/** One waiter less. TAKEN: the handover under way is this waiter's. RACED: call again. */
export function cancelAtMutex(mutex: i32): i32 {
  const office = load64(mutex + OFFICE);
  if (waitersOf(office) === 0) return TAKEN;
  return cas64(mutex + OFFICE, office, minus(office, pair(0, WAITER))) === office ? CANCELLED : RACED;
}
