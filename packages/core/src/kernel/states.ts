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

// Gate of an element that waits on a condition (channel.ts).
export const WATCHING = 9; //  in a chain, or with the agent that detached it; owner awake
// as WATCHING, owner asleep (or a waitAsync pending): the agent that changes it must notify
export const SLEEPING = 10;
export const WOKEN = 11; //    out of the chain, and what hangs below is the owner's to wake
// the owner left or died: the agent that comes to wake it returns the element to the pool and goes on below
export const LEFT_CHAIN = 12;
export const ON_WORD = 13; //  in no chain: its owner sleeps on a word
export const LISTED = 14; //   in no chain: an async wait; another element of its owner is woken for it

/** A gate that was read from an element. */
export function asGate(word: i32): Gate {
  return word as Gate;
}

// Outcomes of steps: negative, and no two of them equal. A step that returns an address, a count or a gate returns 0 or
// more for it. They have no type annotation, so that TypeScript knows each as a type of its own and refuses a
// comparison with an outcome that a step cannot have.
export const TAKEN = -1; //   the permits are the caller's; an element passed in is the caller's again
export const WAITING = -2; // not there: not taken, no verdict, nothing to take
export const RACED = -3; //   a CAS lost to another agent, nothing changed: call again
export const SHUT = -4; //    the semaphore is closed or freed, nothing changed
export const OVER_BOUND = -5; // more permits than `max` would be free, nothing changed
export const FOREIGN = -6; //    not held by this agent, nothing changed
export const CANCELLED = -7; //             left the line without a trace; the element is the caller's again
export const CANCELLED_LEFT_BEHIND = -8; // left the line; the element stays behind and is no longer the caller's
// the permits are the caller's; the element stays behind and is no longer the caller's
export const ADMITTED_DETACHED = -9;

// Why a step changed nothing, beside SHUT, OVER_BOUND and FOREIGN.
export const OVERFLOW = -13; // a number would be larger than its word can hold
export const TOO_FEW = -14; //  fewer are there, or held, than the call is for
export const OCCUPIED = -15; // another agent has the place
export const NO_ROOM = -16; //  the heap has no room at its end

// Of a release and of a walk; a walk may also return an element whose owner must be notified.
export const IDLE = -10; //       nothing is left to do
export const AGAIN = -11; //      call again
export const NEEDS_WALK = -12; // run the walk

// Outcomes that a kind adds are -32 and below, and no two kinds have the same (packages/core/test/outcomes.test.ts).

// What steps return. These types are i32 in WebAssembly.
export type Gate =
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
/** A waiter parks: the gate that was found, or why it is not to sleep yet. */
export type Park = Gate | typeof NEEDS_WALK | typeof RACED;
/** One attempt to write what no other agent may have changed. */
export type Attempt = typeof TAKEN | typeof RACED;
/** One attempt to take something, without a wait. */
export type Try = Attempt | typeof WAITING | typeof SHUT;
/** A ticket was drawn, unless it was decided at once: the element that holds it. */
export type Draw = typeof TAKEN | typeof SHUT | ElementAddress;
/** As `Draw`, at a box office. */
export type Enqueue = Try | ElementAddress;
/** As `Try`, of one attempt that cannot lose a race. Also one look at a wait. */
export type Poll = typeof TAKEN | typeof SHUT | typeof WAITING;
/** A waiter is removed from the count of a box office. TAKEN: a permit is under way for it. */
export type Uncount = typeof TAKEN | typeof CANCELLED | typeof RACED;
/** A wait was taken out of the line. */
export type Exit = typeof CANCELLED | typeof CANCELLED_LEFT_BEHIND | typeof RACED;
/** A wait was cancelled, unless a verdict came first. */
export type Leave = Exit | typeof TAKEN | typeof SHUT;
/** As `Leave`, at a box office. WAITING: still in line. */
export type Cancel = Leave | typeof ADMITTED_DETACHED | typeof WAITING;
/** A dead agent was admitted. */
export type Admission = typeof TAKEN | typeof ADMITTED_DETACHED;
/** How a wait ended. */
export type Verdict =
  | typeof TAKEN
  | typeof ADMITTED_DETACHED
  | typeof SHUT
  | typeof CANCELLED
  | typeof CANCELLED_LEFT_BEHIND;
/** One look at a wait, where the look itself may cancel it. */
export type Look = Verdict | typeof WAITING;
/** A part of a walk. */
export type Walk = typeof IDLE | typeof AGAIN | NotifyAddress;
/** The end of a step that may have admitted waiters. */
export type Wake = typeof IDLE | typeof NEEDS_WALK;
/** A release at an open line of its owner alone. */
export type Unlock = typeof IDLE | typeof RACED | typeof SHUT;
/** An owner hands over what it owns. */
export type HandOver = Wake | typeof FOREIGN | typeof RACED;
/** A release. OVER_BOUND, RACED: only with a bound. */
export type Release = Wake | typeof SHUT | typeof OVER_BOUND | typeof RACED;

// Health of an owned lock.
export const CONSISTENT = 0;
export const ORPHANED = 1; //      the owner died: the next owner has to be told
// the next owner was told and owns the lock; what the lock protects is not marked consistent
export const INHERITED = 2;
export const UNRECOVERABLE = 3; // that owner unlocked without marking it: every later owner is refused

// The word OFFICE of a lock that is handed to its next owner.
export const HANDED: i32 = 0x7fffffff; // in the place of the owner's id: no agent has it
export const UNSEEN = 2; //          in the high half of the word

/** In ENTRY_SINCE: a dead agent got these permits and never knew. A lock among them was not left half changed. */
export const NEVER_KNEW: i32 = -1;
