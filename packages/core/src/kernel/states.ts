// The values that kernel steps exchange with the code around them.

import type { ElementAddress, NotifyAddress } from './addresses.ts';

// Gate of an element.
export const FREE = 0; //      belongs to its owner, no wait under way
export const QUEUED = 1; //    has a ticket, not yet in a chain: the owner looks at `grant` itself
// in a chain or a walker's AGENT_IN_FLIGHT, owner awake or asleep at an earlier async wait in the line
export const LINKED = 2;
export const PARKED = 3; //    as LINKED, owner asleep (or a waitAsync pending): the agent that changes it must notify
export const GRANTED = 4; //   out of the chain, the permits are the owner's
export const ABANDONED = 5; // a tombstone: the owner left; its ticket is skipped when it comes to the head
export const SPENT = 6; //     ticket settled, still in a chain: the walker that meets it frees it
export const CLOSED = 7; //    out of the chain, the semaphore was closed
export const PROMISED = 8; //  the owner of a lock is about to hand it over to the waiter, which can no longer leave

// Gate of an element that waits on a condition (condition-chain.ts).
export const WATCHING = 9; //  in a chain, or with the agent that detached it; owner awake
// as WATCHING, owner asleep (or a waitAsync pending): the agent that changes it must notify
export const SLEEPING = 10;
export const WOKEN = 11; //    out of the chain; the owner must wake the elements below it
// the owner left or died. The waking agent returns the element to the pool and wakes the next element
export const LEFT_CHAIN = 12;
export const ON_WORD = 13; //  in no chain: its owner sleeps on a word
export const LISTED = 14; //   in no chain: an async wait; another element of its owner is woken for it

/** Returns a gate that was read from an element. */
export function asGate(word: i32): GateState {
  return word as GateState;
}

// Outcomes of steps. Each is a different negative number, because a step that returns an address, a count or a gate
// returns 0 or more for it. They have no type annotation, so that TypeScript gives each a type of its own and refuses a
// comparison with an outcome that a step cannot have.
export const TAKEN = -1; //   the permits are the caller's; an element passed in is the caller's again
export const WAITING = -2; // nothing was taken: no verdict yet, or no permit is free
export const RACED = -3; //   a CAS lost to another agent, nothing changed: call again
export const SHUT = -4; //    the semaphore is closed or freed, nothing changed
export const OVER_BOUND = -5; // more permits than `max` would be free, nothing changed
export const FOREIGN = -6; //    not held by this agent, nothing changed
export const CANCELLED = -7; //             left the line without a trace; the element is the caller's again
export const CANCELLED_LEFT_BEHIND = -8; // left the line; the element stays behind and is no longer the caller's
// the permits are the caller's; the element stays behind and is no longer the caller's
export const ADMITTED_DETACHED = -9;

// Reasons why a step changed nothing, beside SHUT, OVER_BOUND and FOREIGN.
export const OVERFLOW = -13; // a number would be larger than its word can hold
export const TOO_FEW = -14; //  the call asks for more than exist, or than the agent holds
export const OCCUPIED = -15; // another agent has the place
export const NO_ROOM = -16; //  the heap has no room at its end

// Outcomes of a release and of a walk. A walk may also return an element whose owner must be notified.
export const IDLE = -10; //       nothing is left to do
export const AGAIN = -11; //      call again
export const NEEDS_WALK = -12; // run the walk

/** No step returns this: another agent has moved the waiter to another line. */
export const MOVED = -17;

// What remains of a cancellation at a box office (bouncer.ts). No step returns these.
export const MUST_SETTLE = -18; //  the waiter's permit has come first
export const MUST_UNCOUNT = -19; // the box office must remove the waiter from its count

// Outcomes that a kind adds are -32 and below, and no two kinds have the same (packages/core/test/outcomes.test.ts).

// The results of steps. These types are i32 in WebAssembly.
export type GateState =
  | typeof FREE
  | typeof QUEUED
  | typeof LINKED
  | typeof PARKED
  | typeof GRANTED
  | typeof ABANDONED
  | typeof SPENT
  | typeof CLOSED
  | typeof PROMISED
  | typeof WATCHING
  | typeof SLEEPING
  | typeof WOKEN
  | typeof LEFT_CHAIN
  | typeof ON_WORD
  | typeof LISTED;
/** The result of parking: the gate that was found, or the reason why the waiter must not sleep yet. */
export type Park = GateState | typeof NEEDS_WALK | typeof RACED;
/** The result of one attempt to change a word that no other agent may have changed meanwhile. */
export type TakeOutcome = typeof TAKEN | typeof RACED;
/** The result of one attempt to take something without a wait. */
export type Try = TakeOutcome | typeof WAITING | typeof SHUT;
/** The result of drawing a ticket: the element that holds the ticket, unless the outcome was decided at once. */
export type Draw = typeof TAKEN | typeof SHUT | ElementAddress;
/** The result of drawing a ticket at a box office. */
export type Enqueue = Try | ElementAddress;
/** The result of one attempt that cannot lose a race, or of one check of a wait. */
export type Poll = typeof TAKEN | typeof SHUT | typeof WAITING;
/** The result of moving a waiter to another line. WAITING means that it stays where it is. */
export type Move = TakeOutcome | typeof WAITING;
/** The result of removing a waiter from the count of a box office. TAKEN means that a permit is under way for it. */
export type Uncount = typeof TAKEN | typeof CANCELLED | typeof RACED;
/** The result of taking a wait out of the line. */
export type LeftLine = typeof CANCELLED | typeof CANCELLED_LEFT_BEHIND | typeof RACED;
/** The result of cancelling a wait. A verdict may have come first. */
export type CancelResult = LeftLine | typeof TAKEN | typeof SHUT;
/** The result of cancelling a wait at a box office. WAITING means that the waiter is still in line. */
export type Cancel = CancelResult | typeof ADMITTED_DETACHED | typeof WAITING;
/** The admission of a dead agent. */
export type Admission = typeof TAKEN | typeof ADMITTED_DETACHED;
/** The end of a wait. */
export type Verdict =
  | typeof TAKEN
  | typeof ADMITTED_DETACHED
  | typeof SHUT
  | typeof CANCELLED
  | typeof CANCELLED_LEFT_BEHIND;
/** The result of one check of a wait, where the check itself may cancel the wait. */
export type PollResult = Verdict | typeof WAITING;
/** The result of a part of a walk. */
export type Walk = typeof IDLE | typeof AGAIN | NotifyAddress;
/** The result of a step that may have admitted waiters. */
export type Wake = typeof IDLE | typeof NEEDS_WALK;
/** The result of a release, by its owner alone, at an open line. */
export type Unlock = typeof IDLE | typeof RACED | typeof SHUT;
/** The result of a hand-over by an owner. */
export type HandOver = Wake | typeof FOREIGN | typeof RACED;
/** The result of a release. OVER_BOUND and RACED occur only with a bound. */
export type Release = Wake | typeof SHUT | typeof OVER_BOUND | typeof RACED;

// Health of an owned lock.
export const CONSISTENT = 0;
export const ORPHANED = 1; //      the owner died: the next owner has to be told
// the next owner was told and owns the lock; what the lock protects is not marked consistent
export const INHERITED = 2;
export const UNRECOVERABLE = 3; // that owner unlocked without marking it: every later owner is refused

// The high half of the word OFFICE.
export const NOTICE: i32 = 1; // HEALTH has a message for the next owner

// The word OFFICE of a lock that is handed to its next owner.
export const HANDED: i32 = 0x7fffffff; // in the place of the owner's id: no agent has it
export const UNSEEN = 2; //          in the high half of the word

/**
 * A value of ENTRY_SINCE: a dead agent got these permits without knowing it. A lock among them was not left half
 * changed.
 */
export const NEVER_KNEW: i32 = -1;
