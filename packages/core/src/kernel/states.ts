// The values that kernel steps exchange with the code around them.

// Gate of an element.
export const FREE: i32 = 0; //      belongs to its owner, no wait under way
export const QUEUED: i32 = 1; //    has a ticket, not yet in a chain: the owner looks at `grant` itself
export const LINKED: i32 = 2; //    in a chain or in a walker's hand, owner awake
export const PARKED: i32 = 3; //    as LINKED, owner asleep (or a waitAsync pending): whoever changes it must notify
export const GRANTED: i32 = 4; //   out of the chain, permits are the owner's
export const ABANDONED: i32 = 5; // a tombstone: the owner left; its ticket is skipped when it comes to the head
export const SPENT: i32 = 6; //     ticket settled, still in a chain: the walker that meets it frees it
export const CLOSED: i32 = 7; //    out of the chain, the semaphore was closed
export const PROMISED: i32 = 8; //  at a queued lock: the owner is about to hand it over, so its owner cannot leave any more

// Gate of an element that waits on a condition (channel.ts).
export const WATCHING: i32 = 9; //  in a chain, or in the hand of who detached it; owner awake
export const SLEEPING: i32 = 10; //   as WATCHING, owner asleep (or a waitAsync pending): whoever changes it must notify
export const WOKEN: i32 = 11; //    out of the chain, and what hangs below is the owner's to wake
export const LEFT_CHAIN: i32 = 12; // the owner left or died: whoever comes to wake it gives the element back and goes on below
export const ON_WORD: i32 = 13; //  in no chain: its owner sleeps on a word
export const LISTED: i32 = 14; //   in no chain: an async wait that another element of its owner is woken for

// Results of steps.
export const WAITING: i32 = 0;
export const TAKEN: i32 = 1; //  permits are ours; an element passed in is ours again
export const CANCELLED: i32 = 2; //    left the line without a trace; the element is ours again
export const CANCELLED_LEFT_BEHIND: i32 = 3; //   left the line; the element stays behind and is no longer ours
export const SHORT: i32 = 5; //  inside, but not enough is there
export const ADMITTED_DETACHED: i32 = 4; // permits are ours; the element stays behind and is no longer ours
export const RACED: i32 = -1; // a CAS lost to another agent, nothing changed: call again
export const SHUT: i32 = -2; //  the semaphore is closed or freed, nothing changed
export const FULL: i32 = -3; //  over the bound, nothing changed
export const FOREIGN: i32 = -4; // not held by this agent, nothing changed
export const BESIDE: i32 = -5; // others are before it, and enough is there for all of them

// Results of a release and of a walk; a walk's positive result is an element whose owner must be notified.
export const IDLE: i32 = 0;
export const AGAIN: i32 = -1;
export const NEEDS_WALK: i32 = 1;

// Health of an owned lock.
export const CONSISTENT: i32 = 0;
export const ORPHANED: i32 = 1; //      the owner died: the next one has to be told
export const INHERITED: i32 = 2; //     it was told and owns the lock; what the lock protects is not marked consistent
export const UNRECOVERABLE: i32 = 3; // it unlocked without doing so: every later owner is refused

// The word OFFICE of a mutex, see mutex.ts.
export const HANDED: i32 = 0x7fffffff; // stands where the owner's id stands: no agent has it
export const UNSEEN: i32 = 2; //          in the high half of the word

/** As deep as a recursive mutex goes. */
export const MOST_DEPTH: i32 = 65_535;

/** Of `enterSide` at a bounded buffer: a position in the ring is told as so much more. */
export const FIRST_POSITION: i32 = 16;
