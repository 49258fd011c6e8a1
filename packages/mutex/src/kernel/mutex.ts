// Steps at the box office of a mutex. An agent that waits for the mutex waits at the bouncer: the semaphore in the same
// line.
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner      0: free · HANDED: on its way to the successor · else the agent id of the owner
//   bit 32      NOTICE     HEALTH has a message for the next owner: only the contended path checks it
//   bit 33      UNSEEN     the owner died before it knew that it owned the lock
//   bit 34      SUCCESSOR  one waiter, the longest, got a permit and competes for the mutex with the agents that run
//   bit 35      ASLEEP     the successor sleeps, and the next unlock wakes it
//   bit 36      DUE        the successor has waited for a turn, and the next unlock hands over to it
//   bits 37-63  waiters    counted at the box office, and no permit is under way for them
//
//   free ▶ owner                          [lock, lockInTurn, enqueueAtMutex]  without waiters, or in a turn
//   waiters + 1                           [enqueueAtMutex]        owned, or in another agent's turn. Then a ticket at
//                                                                 the bouncer
//   owner ▶ free                          [unlock, unlockInTurn, handOver]  no agent waits, or there is a successor.
//                                                                           Wakes it if it is ASLEEP
//   owner ▶ free, waiters-1, SUCCESSOR    [handOver]              'turns': then one permit at the bouncer
//   owner ▶ HANDED, waiters-1             [passInOrder, handOver] 'fifo', or the owner died or waits: then one permit
//                                         at the bouncer
//   owner ▶ HANDED, SUCCESSOR off         [handOver]              DUE, or the owner died or waits. Wakes the successor
//                                                                 if it is ASLEEP
//   free ▶ owner, SUCCESSOR off           [compete]               the successor gets the mutex before its turn has to
//                                                                 end
//   HANDED ▶ owner                        [compete]               the agent that has the permit
//   ASLEEP, DUE                           [parkMutex, makeDue]    the successor, only while an agent owns the mutex
//   waiters - 1, or SUCCESSOR off         [uncount, resign]       cancels; with no waiters left, the permit under way
//                                                                 is its own
//
// A turn begins when the mutex is free and gets a successor. TURN says whose turn it is. That agent may lock the mutex
// whenever it finds it free. Another agent waits in line. It takes a free mutex, and the turn with it, only if no pass
// happens between two looks, and none has happened in the turn (core: `turnToTake`). The successor measures the turn
// and ends it with DUE. The agent whose turn it is measures and ends it, too (core: turn.ts).
//
// INVARIANTS
//
//   1. While the mutex is free and agents wait, there is a successor, and it is awake, or sleeps for 0.05 ms at most
//      between two looks: it sleeps longer only after it has set ASLEEP, which it does only while an agent owns the
//      mutex. So a free mutex with waiters is taken, by the successor if by no other agent.
//   2. While DUE is set, the mutex is owned. So after DUE no agent locks the mutex before the successor.
//   3. waiters + (1 while HANDED or SUCCESSOR) = agents that were counted and have neither owned the lock since nor
//      cancelled. HANDED and SUCCESSOR exclude each other. So while waiters is 0, the only waiter knows that the permit
//      under way is for it.
//   4. Permits released at the bouncer are SUCCESSOR and HANDED, passed on by waiters that cancelled in between;
//      tickets are waiters that were counted. Each permit is for a waiter that is counted, so no permit is left over
//      when no agent waits (core: kernel/bouncer.ts).
//   5. With 'fifo' there is no SUCCESSOR: free means that no agent waits.

import {
  add64,
  AGENT_SPARE,
  announce,
  announceOrAdmit,
  asElement,
  BLOCK_TAG,
  cas64,
  CONSISTENT,
  draw,
  DUE,
  FLAG_TURNS,
  FLAGS,
  FOREIGN,
  get32,
  GRANT,
  HANDED,
  HEALTH,
  high32,
  IDLE,
  isTurnOf,
  isUnseen,
  load32,
  load64,
  NOT_SEEN,
  NOTICE,
  OFFICE,
  orphan,
  OVERFLOW,
  OWNER,
  ownerOf,
  pair,
  PASSES_LEFT,
  plus,
  put32,
  put64,
  RACED,
  rewake,
  SHUT,
  SUCCEEDS,
  SUCCESSOR,
  SUCCESSOR_AT,
  TAKEN,
  TURN,
  TURN_TAKEN,
  turnOf,
  WAITING,
  wide,
  type AgentAddress,
  type ElementAddress,
  type Enqueue,
  type HandOver,
  type LineAddress,
  type Poll,
  type Unlock,
  type Wake,
} from '@sluice/core/kernel';
import { DEPTH, IN_ORDER, MOST_DEPTH, NEVER_TAKES } from './layout.ts';
import { ASLEEP, WAITER, WAITERS, waitersOf } from './word.ts';

/**
 * Takes the mutex if it is free, has no notice, and no agent waits or it is this agent's turn. WAITING: otherwise, or
 * another agent was faster.
 *
 * @step `lock`, `relock`
 * @takes A free mutex: the owner in `OFFICE` from 0 to the agent's id; `relock` also one level of depth: `DEPTH` + 1
 * @leaves `OFFICE` names the owner
 * @death `releaseForDeadOwner`: passed on, with notice
 */
export function lock(mutex: LineAddress, tag: i32, id: i32): Poll {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  // The first attempt is a bare test-and-set: without waiters, a load before it costs 3 ns.
  const office = cas64(mutex + OFFICE, wide(0), wide(id));
  return office === wide(0) ? TAKEN : takeInTurn(mutex, office, id);
}

/**
 * As `lock`, without the first attempt: in a turn of this agent. WAITING: it is not free, it has a notice, or it is not
 * this agent's turn.
 */
export function lockInTurn(mutex: LineAddress, tag: i32, id: i32): Poll {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  return takeInTurn(mutex, load64(mutex + OFFICE), id);
}

function takeInTurn(mutex: LineAddress, office: i64, id: i32): Poll {
  if (
    ownerOf(office) !== 0 ||
    (high32(office) & (SUCCESSOR | NOTICE)) !== SUCCESSOR ||
    !isTurnOf(load32(mutex + TURN), id)
  )
    return WAITING;
  return cas64(mutex + OFFICE, office, plus(office, wide(id))) === office ? TAKEN : WAITING;
}

/**
 * Frees the mutex if this agent owns it, and no agent waits or its turn goes on with the successor awake. RACED: a
 * waiter has to be woken, there is a notice, or the caller does not own it.
 *
 * @step `unlock`, `unrelock`
 * @takes A mutex without waiters, or whose successor is awake, is freed: the owner in `OFFICE` 0; or one level: `DEPTH`
 *   - 1
 * @leaves `OFFICE`; `TURN` - 1, which decides nothing
 * @death Nothing; with levels left as above
 */
export function unlock(mutex: LineAddress, tag: i32, id: i32): Unlock {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  return freeWord(mutex, id);
}

function freeWord(mutex: LineAddress, id: i32): Unlock {
  const office = cas64(mutex + OFFICE, wide(id), wide(0));
  if (office === wide(id)) return IDLE;
  return ownerOf(office) === id ? freeInTurn(mutex, office) : RACED;
}

/**
 * As `unlock`, without the first attempt: frees the mutex for the rest of a turn. RACED: the agent must look at the
 * clock, the turn is over, the successor sleeps, there is a notice, or the caller does not own it.
 */
export function unlockInTurn(mutex: LineAddress, tag: i32, id: i32): Unlock {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(mutex + OFFICE);
  return ownerOf(office) === id ? freeInTurn(mutex, office) : RACED;
}

function freeInTurn(mutex: LineAddress, office: i64): Unlock {
  const turn = get32(mutex + TURN);
  if ((high32(office) & (WAITER - 1)) !== SUCCESSOR || (turn & PASSES_LEFT) === 0) return RACED;
  put32(mutex + TURN, turn - 1);
  return cas64(mutex + OFFICE, office, pair(0, high32(office))) === office ? IDLE : RACED;
}

/** As `lock`, for a recursive mutex: its owner increases the depth. OVERFLOW: the depth is at its maximum. */
export function relock(mutex: LineAddress, tag: i32, id: i32): Poll | typeof OVERFLOW {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const found = cas64(mutex + OFFICE, wide(0), wide(id));
  if (found === wide(0)) return TAKEN;
  if (ownerOf(found) !== id) return takeInTurn(mutex, found, id);
  const depth = get32(mutex + DEPTH);
  if (depth === MOST_DEPTH - 1) return OVERFLOW;
  put32(mutex + DEPTH, depth + 1);
  return TAKEN;
}

/** As `unlock`, for a recursive mutex: its owner decreases the depth. The mutex is freed from depth 0 only. */
export function unrelock(mutex: LineAddress, tag: i32, id: i32): Unlock | typeof FOREIGN {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  if (ownerOf(load64(mutex + OFFICE)) !== id) return FOREIGN;
  const depth = get32(mutex + DEPTH);
  if (depth === 0) return freeWord(mutex, id);
  put32(mutex + DEPTH, depth - 1);
  return IDLE;
}

/**
 * The contended path: takes the mutex if it is free after all, also with a notice. Otherwise it counts the agent and
 * draws a ticket. In another agent's turn it takes the mutex only if no pass has happened since the caller read `seen`
 * from TURN, or with `mayWait` 0. With NEVER_TAKES as `seen` it does not. WAITING: not taken, with `mayWait` 0; or,
 * with IN_ORDER, the caller owns it or has no spare element. RACED: call again. Else the agent's spare element, QUEUED.
 * Without IN_ORDER the agent must have a spare.
 *
 * @takes A free mutex, as `lock`; else a place: waiters + 1 in `OFFICE`, then a ticket. In order only with a spare
 *   element
 * @leaves `OFFICE`; the ticket as in `acquire`, `LEAVING` 0
 * @death `releaseForDeadOwner`; or cancelled
 */
export function enqueueAtMutex(mutex: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32, seen: i32): Enqueue {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) === 0) {
    const id = get32(agent + OWNER);
    const turn = load32(mutex + TURN);
    const isInTurn = (high32(office) & SUCCESSOR) === 0 || isTurnOf(turn, id);
    if (isInTurn || (seen !== NEVER_TAKES && (mayWait === 0 || turn === seen))) {
      if (cas64(mutex + OFFICE, office, plus(office, wide(id))) !== office) return RACED;
      if (!isInTurn) put32(mutex + TURN, turnOf(id) | TURN_TAKEN);
      return TAKEN;
    }
    if (seen === NOT_SEEN) return RACED;
  }
  // Before the count, and wherever the agent would wait: a stub has no place in this line, and a full arena must not
  // leave a waiter counted.
  if (mayWait === 0 || (mayWait === IN_ORDER && !mayWaitInOrder(agent, office))) return WAITING;
  // Lost wake-up, waiter side: count the waiter first, while the mutex is owned or its successor is awake. An unlock
  // after this point sees the count (`handOver`).
  if (cas64(mutex + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;
  const element = draw(mutex, tag, agent);
  put64(element + SUCCEEDS, wide(0));
  return element;
}

function mayWaitInOrder(agent: AgentAddress, office: i64): boolean {
  return ownerOf(office) !== get32(agent + OWNER) && get32(agent + AGENT_SPARE) !== 0;
}

/**
 * The usual contended unlock with the order 'fifo', and of an owner that goes on to wait for a condition: hands the
 * mutex to the longest waiter. An element: its agent was admitted and must be notified. NEEDS_WALK: run the walk.
 * RACED: the caller does not own it, there is a notice or a successor, or no agent waits any more.
 *
 * @takes The mutex, to the next in line: `OFFICE` from the id to HANDED and one waiter less, `GRANT` + 1
 * @leaves As `release` of one permit
 * @death Walk; an element in `AGENT_NOTIFY` is notified
 */
export function passInOrder(
  mutex: LineAddress,
  tag: i32,
  agent: AgentAddress,
  id: i32,
): Wake | ElementAddress | typeof RACED | typeof SHUT {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(mutex + OFFICE);
  const waiters = waitersOf(office);
  if (ownerOf(office) !== id || waiters === 0 || (high32(office) & (WAITER - 1)) !== 0) return RACED;
  // As in `passMutex`. While HEALTH is not CONSISTENT, the word has NOTICE.
  if (cas64(mutex + OFFICE, office, pair(HANDED, (waiters - 1) << WAITERS)) !== office) return RACED;
  return announceOrAdmit(mutex, agent, add64(mutex + GRANT, wide(1)), 1);
}

/**
 * The contended unlock, for the owner `from`: frees the mutex for the rest of a turn, or hands it to the longest
 * waiter. `ends` 1: at the end of a turn. FOREIGN: `from` does not own it. RACED: call again. NEEDS_WALK: run the walk.
 * Larger: the element of a successor, which must be notified.
 *
 * @takes The mutex, to the next in line: `OFFICE` from the id to HANDED and one waiter less, `GRANT` + 1; or freed.
 *   During a turn: freed, with one waiter less and SUCCESSOR, `GRANT` + 1. With a successor: HANDED or free, and ASLEEP
 *   and DUE off
 * @leaves As `release` of one permit; of a successor that was asleep `AGENT_NOTIFY`, its `GATE` to LINKED
 * @death Walk; the successor is notified
 */
export function handOver(mutex: LineAddress, agent: AgentAddress, from: i32, ends: i32): HandOver | ElementAddress {
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  const goesOn = ends === 0 && (get32(mutex + FLAGS) & FLAG_TURNS) !== 0 && (high32(office) & DUE) === 0;
  return passMutex(mutex, agent, office, goesOn ? 0 : HANDED);
}

/** The owner gives up the mutex, whose word is `office`. `next`: 0 during a turn, HANDED at its end. */
function passMutex(mutex: LineAddress, agent: AgentAddress, office: i64, next: i32): HandOver | ElementAddress {
  const notice = load32(mutex + HEALTH) === CONSISTENT ? 0 : NOTICE;
  const waiters = waitersOf(office);
  const state = next === 0 ? notice | SUCCESSOR : notice;
  if ((high32(office) & SUCCESSOR) === 0) {
    if (waiters === 0) return cas64(mutex + OFFICE, office, pair(0, notice)) === office ? IDLE : RACED;
    // Lost wake-up, owner side: this promises the permit that follows to one of the waiters that `enqueueAtMutex`
    // counted.
    if (cas64(mutex + OFFICE, office, pair(next, ((waiters - 1) << WAITERS) | state)) !== office) return RACED;
    return announce(mutex, agent, add64(mutex + GRANT, wide(1)), 1);
  }
  // Before the compare-and-swap: afterwards the successor may be another waiter. Then this one's owner suffers at most
  // a spurious wake-up.
  const element = asElement(load32(mutex + SUCCESSOR_AT));
  if (cas64(mutex + OFFICE, office, pair(next, (waiters << WAITERS) | state)) !== office) return RACED;
  if ((high32(office) & ASLEEP) === 0) return IDLE;
  const woken = rewake(agent, element);
  return woken === 0 ? IDLE : woken;
}

/**
 * The contended release for a dead owner: hands over, with a notice unless the agent never knew that it was the owner.
 *
 * @takes A mutex that a dead agent owns: `HEALTH` orphaned unless the owner never saw the grant, then as `handOver`
 * @leaves As there, in the **dead** agent's record; `DEPTH` 0
 * @death The next reclaimer finds it owned by the dead agent, or passed on
 */
export function releaseMutexForDeadOwner(agent: AgentAddress, mutex: LineAddress): HandOver | ElementAddress {
  const id = get32(agent + OWNER);
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) !== id) return FOREIGN;
  if (!isUnseen(office)) orphan(mutex);
  put32(mutex + DEPTH, 0);
  return passMutex(mutex, agent, office, HANDED);
}
