// Steps at the box office of a mutex. An agent that waits for the mutex waits at the bouncer: the semaphore in the same line.
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner     0: free · HANDED: on its way to the next in line · else the agent id of the owner
//   bit 32      NOTICE    HEALTH has a message for the next owner: only the contended path checks it
//   bit 33      UNSEEN    the owner died before it knew that it owned the lock
//   bits 34-63  waiters   counted at the box office, and no hand-off is under way for them
//
//   free ▶ owner               [lock, enqueueAtMutex]    no agent waits
//   owner ▶ free               [unlock, handOver]        no agent waits
//   waiters + 1                [enqueueAtMutex]          then a ticket at the bouncer
//   owner ▶ HANDED, waiters-1  [handOver]                then one permit at the bouncer
//   HANDED ▶ owner             [admit]                   the agent that got that permit
//   waiters - 1                [cancel]                  cancels; with no waiters left, the hand-off under way is its own
//
// INVARIANTS
//
//   1. Free means that no agent waits: an agent that finds the mutex free has no other agent before it, and tryLock never barges.
//   2. waiters + (1 while HANDED) = agents that were counted and have neither owned the lock since nor cancelled. So while the word is
//      HANDED and waiters is 0, the only waiter knows that the hand-off is for it.
//   3. Permits released at the bouncer are hand-offs, passed on by waiters that cancelled in between; tickets are waiters that were
//      counted. Each hand-off is for a waiter that is counted, so no permit is left over when no agent waits (core: kernel/bouncer.ts).

import {
  add64,
  announce,
  BLOCK_TAG,
  cancelAt,
  cancelDeadAt,
  CANCELLED,
  cas64,
  CONSISTENT,
  draw,
  FOREIGN,
  freeOwned,
  FULL,
  get32,
  GRANT,
  HANDED,
  HEALTH,
  high32,
  IDLE,
  isUnseen,
  load32,
  load64,
  markUnseen,
  minus,
  NOTICE,
  OFFICE,
  orphan,
  OWNER,
  ownerOf,
  pair,
  plus,
  pollAt,
  put32,
  RACED,
  SHUT,
  TAKEN,
  takeFree,
  WAITING,
  wide,
  type BoxOffice,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type HandOver,
  type LineAddress,
  type Poll,
  type Uncount,
  type Unlock,
  type Admission,
} from '@sluice/core/kernel';
import { DEPTH, MOST_DEPTH } from './layout.ts';

const WAITERS: i32 = 2; // shift
const WAITER: i32 = 4; // 1 << WAITERS

function waitersOf(office: i64): i32 {
  return high32(office) >>> WAITERS;
}

/** Takes the mutex if it is free and has no notice. WAITING: it is owned, or has a notice. */
export function lock(mutex: LineAddress, tag: i32, id: i32): Poll {
  return takeFree(mutex, tag, id);
}

/** Frees the mutex if this agent owns it and no agent waits. RACED: an agent waits, there is a notice, or the caller does not own it. */
export function unlock(mutex: LineAddress, tag: i32, id: i32): Unlock {
  return freeOwned(mutex, tag, id);
}

/** As `lock`, for a recursive mutex: its owner increases the depth. FULL: the depth is at its maximum. */
export function relock(mutex: LineAddress, tag: i32, id: i32): Poll | typeof FULL {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const found = cas64(mutex + OFFICE, wide(0), wide(id));
  if (found === wide(0)) return TAKEN;
  if (ownerOf(found) !== id) return WAITING;
  const depth = get32(mutex + DEPTH);
  if (depth === MOST_DEPTH - 1) return FULL;
  put32(mutex + DEPTH, depth + 1);
  return TAKEN;
}

/** As `unlock`, for a recursive mutex: its owner decreases the depth. The mutex is freed from depth 0 only. */
export function unrelock(mutex: LineAddress, tag: i32, id: i32): Unlock | typeof FOREIGN {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  if (ownerOf(load64(mutex + OFFICE)) !== id) return FOREIGN;
  const depth = get32(mutex + DEPTH);
  if (depth === 0) return cas64(mutex + OFFICE, wide(id), wide(0)) === wide(id) ? IDLE : RACED;
  put32(mutex + DEPTH, depth - 1);
  return IDLE;
}

/**
 * The contended path: takes the mutex if it is free after all, also with a notice. Otherwise it counts the agent and draws a ticket.
 * WAITING: not free, with `mayWait` 0. RACED: call again. Else the agent's spare element, QUEUED. The agent must have a spare.
 */
export function enqueueAtMutex(mutex: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) === 0) {
    return cas64(mutex + OFFICE, office, plus(office, wide(get32(agent + OWNER)))) === office ? TAKEN : RACED;
  }
  if (mayWait === 0) return WAITING;
  // Lost wake-up, waiter side: count the waiter first. An unlock after this point sees the count (`handOver`); an unlock before it left the
  // mutex free.
  if (cas64(mutex + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;
  return draw(mutex, tag, agent);
}

/**
 * The contended unlock, for the owner `from`: hands the mutex to the next in line, or frees it. FOREIGN: `from` does not own it. RACED:
 * call again. NEEDS_WALK: run the walk.
 */
export function handOver(mutex: LineAddress, agent: AgentAddress, from: i32): HandOver {
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  const notice = load32(mutex + HEALTH) === CONSISTENT ? 0 : NOTICE;
  const waiters = waitersOf(office);
  if (waiters === 0) return cas64(mutex + OFFICE, office, pair(0, notice)) === office ? IDLE : RACED;
  // Lost wake-up, owner side: this promises the mutex to one of the waiters that `enqueueAtMutex` counted; its permit follows.
  if (cas64(mutex + OFFICE, office, pair(HANDED, ((waiters - 1) << WAITERS) | notice)) !== office) return RACED;
  return announce(mutex, agent, add64(mutex + GRANT, wide(1)), 1);
}

/** The contended release for a dead owner: as `handOver`, with a notice unless the agent never knew that it was the owner. */
export function releaseMutexForDeadOwner(agent: AgentAddress, mutex: LineAddress): HandOver {
  const id = get32(agent + OWNER);
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) !== id) return FOREIGN;
  if (!isUnseen(office)) orphan(mutex);
  put32(mutex + DEPTH, 0);
  return handOver(mutex, agent, id);
}

/** A kind whose owner is admitted as a mutex's has the same one. */
export class MutexOffice implements BoxOffice {
  /** HANDED to owner. Only the agent that got the permit of the hand-off may, so it cannot fail. Other agents may be counted meanwhile. */
  admit(mutex: LineAddress, id: i32, _entry: EntryAddress): void {
    add64(mutex + OFFICE, wide(id - HANDED));
  }

  cancel(mutex: LineAddress, _agent: AgentAddress): Uncount {
    const office = load64(mutex + OFFICE);
    if (waitersOf(office) === 0) return TAKEN;
    return cas64(mutex + OFFICE, office, minus(office, pair(0, WAITER))) === office ? CANCELLED : RACED;
  }

  noteUnseen(mutex: LineAddress, _agent: AgentAddress, _entry: EntryAddress, left: Admission): Cancel {
    markUnseen(mutex);
    return left;
  }
}

const mutexOffice = /* @__PURE__ */ new MutexOffice();

export function pollMutex(element: ElementAddress, entry: EntryAddress): Poll {
  return pollAt(mutexOffice, element, entry);
}

export function cancelMutexWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelAt(mutexOffice, agent, element, entry);
}

export function cancelDeadMutexWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  return cancelDeadAt(mutexOffice, agent, element, entry);
}
