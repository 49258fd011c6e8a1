// Steps at a turnstile: a capacitor that admits one agent at a time, for a turn in which the agent may go out and come back.
//
// Its box office is a mutex's (@sluice/mutex, kernel/mutex.ts): the owner is the agent whose turn it is, and its waiters are admitted in FIFO
// order. LIMIT holds B. Two words more:
//
//   LEASE    0: the agent whose turn it is, is inside, or there is none · id: it went out and means to come back
//   PASSES   how often an agent came back, wrapping: shows whether the turn still goes on
//
//   0 ▶ id   [pause]    only by the agent whose turn it is
//   id ▶ 0   [resume]   it came back
//   id ▶ 0   [evict]    it did not, and a waiter ends its turn for it
//
// INVARIANT. The agent that changes LEASE from id to 0 decides what happens next: the turn goes on, or the next one begins. So no agent is
// inside while its turn is ended from outside.

import {
  BLOCK_TAG,
  cas32,
  FOREIGN,
  freeOwned,
  get32,
  IDLE,
  load32,
  load64,
  OFFICE,
  OWNER,
  ownerOf,
  put32,
  RACED,
  SHUT,
  store32,
  TAKEN,
  takeFree,
  WAITING,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type Enqueue,
  type HandOver,
  type LineAddress,
  type Poll,
  type Unlock,
} from '@sluice/core/kernel';
import { cancelDeadMutexWait, cancelMutexWait, enqueueAtMutex, handOver, pollMutex } from '@sluice/mutex/kernel';
import { LEASE, PASSES } from './layout.ts';

/** Begins a turn if it is no agent's turn and no agent waits. WAITING: otherwise. */
export function takeTurn(turnstile: LineAddress, tag: i32, id: i32): Poll {
  return takeFree(turnstile, tag, id);
}

/** Ends this agent's turn if no agent waits. RACED: an agent waits, or it is not this agent's turn. */
export function endTurn(turnstile: LineAddress, tag: i32, id: i32): Unlock {
  return freeOwned(turnstile, tag, id);
}

/** The contended arrival. TAKEN: the turn is this agent's. Results as of `enqueueAtMutex`. */
export function enqueueAtTurnstile(turnstile: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  // A turnstile is handed over each time: it is never free while agents wait.
  return enqueueAtMutex(turnstile, tag, agent, mayWait, 0);
}

/** The contended end of the turn of the agent `from`: passes it to the next in line. Results as of `handOver`. */
export function passTurn(turnstile: LineAddress, agent: AgentAddress, from: i32): HandOver | ElementAddress {
  return handOver(turnstile, agent, from, 1);
}

/** The agent whose turn it is goes out. */
export function pause(turnstile: LineAddress, id: i32): void {
  store32(turnstile + LEASE, id);
}

/** The agent comes back. WAITING: its turn was ended meanwhile. */
export function resume(turnstile: LineAddress, tag: i32, id: i32): Poll {
  if (load32(turnstile + BLOCK_TAG) !== tag) return SHUT;
  if (cas32(turnstile + LEASE, id, 0) !== id) return WAITING;
  put32(turnstile + PASSES, get32(turnstile + PASSES) + 1);
  return TAKEN;
}

/** Ends the turn of an agent that went out. IDLE: no agent is out, or none waits any more. RACED: call again. NEEDS_WALK: run the walk. */
export function evict(turnstile: LineAddress, agent: AgentAddress): HandOver | ElementAddress {
  const id = load32(turnstile + LEASE);
  if (id === 0) return IDLE;
  if (cas32(turnstile + LEASE, id, 0) !== id) return RACED;
  const passed = handOver(turnstile, agent, id, 1);
  // If the agent came back in between, it now stands in line: restore the lease, and the next attempt ends its turn. The lease stays as it is
  // if it is another agent's already: recovery may have passed the turn on.
  if (passed === RACED) cas32(turnstile + LEASE, 0, id);
  return passed;
}

/** Ends the turn of a dead agent, inside or outside. FOREIGN: it is not its turn. RACED: call again. Run the walk afterwards. */
export function endTurnForDead(agent: AgentAddress, turnstile: LineAddress): HandOver | ElementAddress {
  const id = get32(agent + OWNER);
  if (ownerOf(load64(turnstile + OFFICE)) !== id) return FOREIGN;
  // By compare-and-swap: a waiter may have ended the turn meanwhile, and the lease may be another agent's.
  cas32(turnstile + LEASE, id, 0);
  return handOver(turnstile, agent, id, 1);
}

export function pollTurnstile(element: ElementAddress): Poll {
  return pollMutex(element);
}

export function cancelTurnstileWait(agent: AgentAddress, element: ElementAddress): Cancel {
  return cancelMutexWait(agent, element);
}

export function cancelDeadTurnstileWait(agent: AgentAddress, element: ElementAddress): Cancel {
  return cancelDeadMutexWait(agent, element);
}
