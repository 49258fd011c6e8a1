// The values that kernel steps exchange with the code around them.

// Gate of an element.
export const FREE: i32 = 0; //      belongs to its owner, no wait under way
export const QUEUED: i32 = 1; //    has a ticket, not yet in a chain: the owner looks at `grant` itself
export const LINKED: i32 = 2; //    in a chain or a walker's AGENT_IN_FLIGHT, owner awake
export const PARKED: i32 = 3; //    as LINKED, owner asleep (or a waitAsync pending): the agent that changes it must notify
export const GRANTED: i32 = 4; //   out of the chain, the permits are the owner's
export const ABANDONED: i32 = 5; // a tombstone: the owner left; its ticket is skipped when it comes to the head
export const SPENT: i32 = 6; //     ticket settled, still in a chain: the walker that meets it frees it
export const CLOSED: i32 = 7; //    out of the chain, the semaphore was closed
export const PROMISED: i32 = 8; //  the owner of a lock is about to hand it over to the waiter, which can no longer leave

// Gate of an element that waits on a condition (channel.ts).
export const WATCHING: i32 = 9; //  in a chain, or with the agent that detached it; owner awake
export const SLEEPING: i32 = 10; //   as WATCHING, owner asleep (or a waitAsync pending): the agent that changes it must notify
export const WOKEN: i32 = 11; //    out of the chain, and what hangs below is the owner's to wake
export const LEFT_CHAIN: i32 = 12; // the owner left or died: the agent that comes to wake it returns the element to the pool and goes on below
export const ON_WORD: i32 = 13; //  in no chain: its owner sleeps on a word
export const LISTED: i32 = 14; //   in no chain: an async wait; another element of its owner is woken for it

// Results of steps.
export const WAITING: i32 = 0;
export const TAKEN: i32 = 1; //  the permits are the caller's; an element passed in is the caller's again
export const CANCELLED: i32 = 2; //    left the line without a trace; the element is the caller's again
export const CANCELLED_LEFT_BEHIND: i32 = 3; //   left the line; the element stays behind and is no longer the caller's
export const ADMITTED_DETACHED: i32 = 4; // the permits are the caller's; the element stays behind and is no longer the caller's
export const RACED: i32 = -1; // a CAS lost to another agent, nothing changed: call again
export const SHUT: i32 = -2; //  the semaphore is closed or freed, nothing changed
export const FULL: i32 = -3; //  over the bound, nothing changed
export const FOREIGN: i32 = -4; // not held by this agent, nothing changed

// Results of a release and of a walk; a walk's positive result is an element whose owner must be notified.
export const IDLE: i32 = 0;
export const AGAIN: i32 = -1;
export const NEEDS_WALK: i32 = 1;

// Health of an owned lock.
export const CONSISTENT: i32 = 0;
export const ORPHANED: i32 = 1; //      the owner died: the next owner has to be told
export const INHERITED: i32 = 2; //     the next owner was told and owns the lock; what the lock protects is not marked consistent
export const UNRECOVERABLE: i32 = 3; // that owner unlocked without marking it: every later owner is refused

// The word OFFICE of a lock that is handed to its next owner.
export const HANDED: i32 = 0x7fffffff; // in the place of the owner's id: no agent has it
export const UNSEEN: i32 = 2; //          in the high half of the word

/** In ENTRY_SINCE: a dead agent got these permits and never knew. A lock among them was not left half changed. */
export const NEVER_KNEW: i32 = -1;
