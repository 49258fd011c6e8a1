// Steps at the box office of a mutex. An agent that waits for the mutex waits at the bouncer, which is the semaphore in
// the same line.
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner      0: free · HANDED: on its way to the successor · else the agent id of the owner
//   bit 32      NOTICE     HEALTH has a message for the next owner: only the contended path checks it
//   bit 33      UNSEEN     the owner died before it knew that it owned the lock
//   bit 34      SUCCESSOR  the longest waiter got a permit and competes for the mutex with running agents
//   bit 35      ASLEEP     the successor sleeps, and the next unlock wakes it
//   bit 36      DUE        the successor has waited for a turn, and the next unlock hands over to it
//   bits 37-63  waiters    number of waiters counted at the box office for which no permit is under way
//
//   free ▶ owner                          [lockMutex, lockMutexInTurn,      without waiters, or in a turn
//                                         enqueueAtMutex]
//   waiters + 1                           [enqueueAtMutex]                  owned, or in another agent's turn: then a
//                                                                           ticket at the bouncer
//   owner ▶ free                          [unlockMutex, unlockMutexInTurn,  no agent waits, or there is a successor
//                                         handOverMutex, sleepAtCondition]
//   owner ▶ free, waiters - 1, SUCCESSOR  [handOverMutex]                   'turns': then one permit at the bouncer
//   owner ▶ HANDED, waiters - 1           [passMutexInOrder,                'fifo', or the owner died or waits: then
//                                         handOverMutex]                    one permit at the bouncer
//   owner ▶ HANDED, SUCCESSOR off         [handOverMutex]                   DUE, or the owner died or waits
//   free ▶ owner, SUCCESSOR off           [compete]                         the successor gets the mutex before its
//                                                                           turn has to end
//   HANDED ▶ owner                        [compete]                         the agent with the permit takes the mutex
//   ASLEEP, DUE                           [parkMutex, makeMutexDue]         the successor, only while an agent owns
//                                                                           the mutex
//   waiters - 1, or SUCCESSOR off         [uncount, resign]                 a waiter cancels
//
// An unlock wakes the successor if it is ASLEEP. If a waiter cancels while waiters is 0, the permit under way is for
// this waiter.
//
// A turn begins when the mutex is free and gets a successor. TURN names the agent that has the turn. That agent may
// lock the mutex whenever it finds it free. Another agent waits in line. It takes a free mutex, and the turn, only if
// no pass has happened in the turn and none happens between its two looks (core: `turnToTake`). The successor measures
// the turn and ends it with DUE. The agent that has the turn also measures and ends it (core: turn.ts).
//
// INVARIANTS
//
//   1. While the mutex is free and agents wait, there is a successor. It is awake, or sleeps at most 0.05 ms between
//      two looks. It sleeps longer only after it has set ASLEEP, and it sets ASLEEP only while an agent owns the mutex.
//      So the successor takes a free mutex with waiters, unless another agent takes it first.
//   2. While DUE is set, the mutex is owned. So after DUE no agent locks the mutex before the successor.
//   3. waiters + (1 while HANDED or SUCCESSOR) = agents that were counted and have neither owned the lock since nor
//      cancelled. HANDED and SUCCESSOR exclude each other. So while waiters is 0, the only waiter knows that the permit
//      under way is for it.
//   4. Each permit released at the bouncer belongs to one SUCCESSOR or HANDED. A waiter that cancels passes its permit
//      on. Each ticket belongs to one counted waiter. So each permit is for a counted waiter, and no permit is left
//      over when no agent waits (core: kernel/bouncer.ts).
//   5. With 'fifo' there is no SUCCESSOR. A free mutex then has no waiters.
//
// NO WAKE-UP IS LOST. `enqueueAtMutex` counts the waiter W in OFFICE by a compare-and-swap, then draws its ticket. The
// owner R changes the same word by a compare-and-swap: it frees the mutex (`unlockMutex`), or takes one waiter off the
// count and then adds to GRANT (`passMutexInOrder`, `passMutex`). If W did not compare the word (the mutant "a waiter
// is counted although the mutex became free"), R could miss W:
//
//   1. W reads OFFICE: R owns the mutex, and no agent waits.
//   2. R frees the mutex. It found no waiter, so it releases no permit.
//   3. W adds itself to the count, draws a ticket, and sleeps. The mutex is free, and no unlock comes that would wake
//      W.
//
// With the comparison, W finds at step 3 that OFFICE has changed, and takes the mutex. How a sleeping successor is
// found: core, kernel/successor-in-turns.ts.

import {
  AGENT_SPARE,
  asElement,
  BLOCK_TAG,
  CONSISTENT,
  FLAG_TURNS,
  FLAGS,
  FOREIGN,
  GRANT,
  HANDED,
  HEALTH,
  IDLE,
  NOT_SEEN,
  NOTICE,
  OFFICE,
  OVERFLOW,
  OWNER,
  RACED,
  SHUT,
  SUCCEEDS,
  SUCCESSOR_AT,
  TAKEN,
  TURN,
  TURN_TAKEN,
  WAITING,
  type AgentAddress,
  type ElementAddress,
  type Enqueue,
  type HandOver,
  type LineAddress,
  type Poll,
  type Unlock,
  type Wake,
} from '@sluice/core/format';
import {
  add64,
  announce,
  announceOrAdmit,
  cas64,
  draw,
  get32,
  high32,
  hasPassesLeft,
  isTurnOf,
  load32,
  load64,
  ownerOf,
  pair,
  plus,
  put32,
  put64,
  rewake,
  turnOf,
  wide,
} from '@sluice/core/kernel';
import { DEPTH, ENQUEUE_WITH_SPARE, MAX_DEPTH, NEVER_TAKES, SUCCESSOR } from './layout.ts';
import { hasSuccessor, isAsleep, isDue, isInQuietTurn, isInTurn, isQuiet, WAITER, WAITERS, waitersOf } from './word.ts';

/**
 * Takes the mutex if it is free and has no notice, and if no agent waits or it is this agent's turn. Returns TAKEN if
 * it took the mutex. Returns WAITING otherwise, also if another agent was faster.
 *
 * @step `lockMutex`, `relockMutex`
 * @takes A free mutex: the owner in `OFFICE` from 0 to the agent's id. `relockMutex` by the owner takes one level of
 *   depth: `DEPTH` + 1
 * @leaves `OFFICE` names the owner
 * @death `releaseForDeadOwner` passes the mutex on, with a notice
 */
export function lockMutex(mutex: LineAddress, tag: i32, id: i32): Poll {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  // The first attempt is a compare-and-swap without a load before it. Without waiters, that load would cost 3 ns.
  const office = cas64(mutex + OFFICE, wide(0), wide(id));
  return office === wide(0) ? TAKEN : takeInTurn(mutex, office, id);
}

/**
 * Takes the mutex in a turn of this agent: `lockMutex` without its first attempt. Returns WAITING if the mutex is not
 * free, has a notice, or it is not this agent's turn.
 */
export function lockMutexInTurn(mutex: LineAddress, tag: i32, id: i32): Poll {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  return takeInTurn(mutex, load64(mutex + OFFICE), id);
}

function takeInTurn(mutex: LineAddress, office: i64, id: i32): Poll {
  if (ownerOf(office) !== 0 || !isInTurn(office) || !isTurnOf(load32(mutex + TURN), id)) return WAITING;
  return cas64(mutex + OFFICE, office, plus(office, wide(id))) === office ? TAKEN : WAITING;
}

/**
 * Frees the mutex if this agent owns it, and if no agent waits or its turn goes on with the successor awake. Returns
 * IDLE if it freed the mutex. Returns RACED if a waiter must be woken, there is a notice, or the caller does not own
 * the mutex.
 *
 * @step `unlockMutex`, `unrelockMutex`
 * @takes Frees a mutex that has no waiters or whose successor is awake: the owner in `OFFICE` 0. `unrelockMutex` above
 *   depth 0: `DEPTH` - 1
 * @leaves `OFFICE`; `TURN` - 1. If the agent dies after this write, its turn has one pass less
 * @death Nothing. If levels are left: `releaseForDeadOwner`
 */
export function unlockMutex(mutex: LineAddress, tag: i32, id: i32): Unlock {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  return freeWord(mutex, id);
}

function freeWord(mutex: LineAddress, id: i32): Unlock {
  const office = cas64(mutex + OFFICE, wide(id), wide(0));
  if (office === wide(id)) return IDLE;
  return ownerOf(office) === id ? freeInTurn(mutex, office) : RACED;
}

/**
 * Frees the mutex for the rest of a turn: `unlockMutex` without its first attempt. Returns RACED if the agent must look
 * at the clock, the turn is over, the successor sleeps, there is a notice, or the caller does not own the mutex.
 */
export function unlockMutexInTurn(mutex: LineAddress, tag: i32, id: i32): Unlock {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(mutex + OFFICE);
  return ownerOf(office) === id ? freeInTurn(mutex, office) : RACED;
}

function freeInTurn(mutex: LineAddress, office: i64): Unlock {
  const turn = get32(mutex + TURN);
  if (!isInQuietTurn(office) || !hasPassesLeft(turn)) return RACED;
  put32(mutex + TURN, turn - 1);
  return cas64(mutex + OFFICE, office, pair(0, high32(office))) === office ? IDLE : RACED;
}

/**
 * Locks a recursive mutex as `lockMutex` does; its owner increases the depth instead. Returns OVERFLOW if the depth is
 * at its maximum.
 */
export function relockMutex(mutex: LineAddress, tag: i32, id: i32): Poll | typeof OVERFLOW {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const found = cas64(mutex + OFFICE, wide(0), wide(id));
  if (found === wide(0)) return TAKEN;
  if (ownerOf(found) !== id) return takeInTurn(mutex, found, id);
  const depth = get32(mutex + DEPTH);
  if (depth === MAX_DEPTH - 1) return OVERFLOW;
  put32(mutex + DEPTH, depth + 1);
  return TAKEN;
}

/** Decreases the depth of a recursive mutex. At depth 0 it frees the mutex as `unlockMutex` does. */
export function unrelockMutex(mutex: LineAddress, tag: i32, id: i32): Unlock | typeof FOREIGN {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  if (ownerOf(load64(mutex + OFFICE)) !== id) return FOREIGN;
  const depth = get32(mutex + DEPTH);
  if (depth === 0) return freeWord(mutex, id);
  put32(mutex + DEPTH, depth - 1);
  return IDLE;
}

/**
 * Takes a free mutex, with or without a notice. Otherwise counts the agent, draws a ticket, and returns the agent's
 * spare element, QUEUED.
 *
 * `mode`: 0 makes no attempt to enqueue. 1 enqueues; the agent must have a spare. ENQUEUE_WITH_SPARE enqueues only if
 * another agent owns the mutex and this agent has a spare.
 *
 * During another agent's turn it takes a free mutex if TURN is still `turnSeen`, or if `mode` is 0. With NEVER_TAKES as
 * `turnSeen` it does not take it at all.
 *
 * Returns WAITING if it neither took the mutex nor enqueued, and RACED if it lost a race: call again.
 *
 * @takes A free mutex, as `lockMutex`; else a place: waiters + 1 in `OFFICE`, then a ticket. In order only with a spare
 *   element
 * @leaves `OFFICE`; the ticket as in `acquire`, `LEAVING` 0
 * @death `releaseForDeadOwner`; or cancelled
 */
export function enqueueAtMutex(mutex: LineAddress, tag: i32, agent: AgentAddress, mode: i32, turnSeen: i32): Enqueue {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) === 0) {
    const id = get32(agent + OWNER);
    const turn = load32(mutex + TURN);
    const isOpen = !hasSuccessor(office) || isTurnOf(turn, id);
    if (isOpen || (turnSeen !== NEVER_TAKES && (mode === 0 || turn === turnSeen))) {
      if (cas64(mutex + OFFICE, office, plus(office, wide(id))) !== office) return RACED;
      if (!isOpen) put32(mutex + TURN, turnOf(id) | TURN_TAKEN);
      return TAKEN;
    }
    if (turnSeen === NOT_SEEN) return RACED;
  }
  // Return before the waiter is counted: without a spare element it could not enqueue, and would stay counted.
  if (mode === 0 || (mode === ENQUEUE_WITH_SPARE && !mayUseSpare(agent, office))) return WAITING;
  // Lost wake-up, waiter side: count the waiter first, while the mutex is owned or its successor is awake, then draw
  // its ticket. Pairs with `passMutexInOrder` and `passMutex`: an unlock after this point finds the waiter counted.
  if (cas64(mutex + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;
  const element = draw(mutex, tag, agent);
  put64(element + SUCCEEDS, wide(0));
  return element;
}

function mayUseSpare(agent: AgentAddress, office: i64): boolean {
  return ownerOf(office) !== get32(agent + OWNER) && get32(agent + AGENT_SPARE) !== 0;
}

/**
 * Hands the mutex to the longest waiter. The usual contended unlock with the order 'fifo', and the unlock of an owner
 * that then waits for a condition.
 *
 * Returns an element if its agent was admitted; the caller must notify it. Returns NEEDS_WALK if the caller must run
 * the walk. Returns RACED if the caller does not own the mutex, there is a notice or a successor, or no agent waits any
 * more.
 *
 * @takes The mutex, to the next in line: `OFFICE` from the id to HANDED and one waiter less, `GRANT` + 1
 * @leaves As `release` of one permit
 * @death Walk; an element in `AGENT_NOTIFY` is notified
 */
export function passMutexInOrder(
  mutex: LineAddress,
  tag: i32,
  agent: AgentAddress,
  id: i32,
): Wake | ElementAddress | typeof RACED | typeof SHUT {
  if (load32(mutex + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(mutex + OFFICE);
  const waiters = waitersOf(office);
  if (ownerOf(office) !== id || waiters === 0 || !isQuiet(office)) return RACED;
  // Lost wake-up, owner side: takes one waiter off the count, then releases its permit. Pairs with `enqueueAtMutex`.
  // While HEALTH is not CONSISTENT, the word has NOTICE.
  if (cas64(mutex + OFFICE, office, pair(HANDED, (waiters - 1) << WAITERS)) !== office) return RACED;
  return announceOrAdmit(mutex, agent, add64(mutex + GRANT, wide(1)), 1);
}

/**
 * Frees the mutex of the owner `from` for the rest of a turn, or hands it to the longest waiter: the contended unlock.
 * `ends` is 1 at the end of a turn.
 *
 * Returns FOREIGN if `from` does not own the mutex, RACED if the caller must call again, and NEEDS_WALK if the caller
 * must run the walk. A larger value is the element of a successor; the caller must notify it.
 *
 * @takes Passes the mutex to the next in line: `OFFICE` from the id to HANDED and one waiter less, `GRANT` + 1. Without
 *   waiters: freed. During a turn: freed, with one waiter less and SUCCESSOR, `GRANT` + 1. With a successor: HANDED or
 *   free, and ASLEEP and DUE off
 * @leaves As `release` of one permit. If a successor was asleep: `AGENT_NOTIFY`, and its `GATE` to LINKED
 * @death Walk; the successor is notified
 */
export function handOverMutex(
  mutex: LineAddress,
  agent: AgentAddress,
  from: i32,
  ends: i32,
): HandOver | ElementAddress {
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  const isContinued = ends === 0 && (get32(mutex + FLAGS) & FLAG_TURNS) !== 0 && !isDue(office);
  return passMutex(mutex, agent, office, isContinued ? 0 : HANDED);
}

/**
 * Frees the mutex or hands it over, given its word `office`. `next` is 0 during a turn and HANDED at the end of the
 * turn.
 */
export function passMutex(mutex: LineAddress, agent: AgentAddress, office: i64, next: i32): HandOver | ElementAddress {
  const notice = load32(mutex + HEALTH) === CONSISTENT ? 0 : NOTICE;
  const waiters = waitersOf(office);
  const state = next === 0 ? notice | SUCCESSOR : notice;
  if (!hasSuccessor(office)) {
    if (waiters === 0) return cas64(mutex + OFFICE, office, pair(0, notice)) === office ? IDLE : RACED;
    // Lost wake-up, owner side: takes one waiter off the count, then releases its permit. Pairs with `enqueueAtMutex`.
    if (cas64(mutex + OFFICE, office, pair(next, ((waiters - 1) << WAITERS) | state)) !== office) return RACED;
    return announce(mutex, agent, add64(mutex + GRANT, wide(1)), 1);
  }
  // Lost wake-up, owner side: read SUCCESSOR_AT before the compare-and-swap. After it, the successor may be another
  // waiter. Pairs with `parkInTurns`, which writes SUCCESSOR_AT before ASLEEP. If the value read is stale, the agent of
  // that element has at most one spurious wake-up.
  const element = asElement(load32(mutex + SUCCESSOR_AT));
  if (cas64(mutex + OFFICE, office, pair(next, (waiters << WAITERS) | state)) !== office) return RACED;
  if (!isAsleep(office)) return IDLE;
  const woken = rewake(agent, element);
  return woken === 0 ? IDLE : woken;
}
