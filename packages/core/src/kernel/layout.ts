// The position of every shared word of an arena. Compiled into the WebAssembly kernel and into the TypeScript around
// it, so an offset is stated once. All numbers are bytes; addresses count from the start of the arena's memory.
//
//   0        header
//   256      waiting array: one bucket (heads of chains of elements) per 64-byte line
//   lists    heads of the lists of free blocks, one for each class of sizes
//   map      one bit for each 128 bytes of the arena: whether a block begins there
//   heap     blocks, each a multiple of 128 bytes, up to `HEADER_TOP`
//
// A heading "Words of X" opens the words of one record, X. "beside those of Y" means that the record also has Y's
// words. No two words of one record share a byte. Words of different records may have the same offset. A package adds
// words to these records in its own `layout.ts`. test/layout.test.ts reads the headings. A word has 4 bytes unless its
// comment begins with "i64" or a number of bytes.

// Values.

/** "SLUI" read as a little-endian word: the first word of every arena. */
export const MAGIC: i32 = 0x49554c53;
/** Raised whenever a word moves or changes its meaning: two versions of the package never share an arena. */
export const LAYOUT_VERSION: i32 = 18;

// Words of the header. Written once by `Arena.create`, except where a writer is named.
export const HEADER_MAGIC: i32 = 0;
export const HEADER_VERSION: i32 = 4;
export const HEADER_ID: i32 = 8; //           i64: random, finds one arena per realm again
export const HEADER_BUCKET_MASK: i32 = 16; // number of buckets - 1, a power of two
export const HEADER_HEAP: i32 = 20; //        address of the first block
export const HEADER_TOP: i32 = 24; //         end of the last block; grows by CAS (extend)
export const HEADER_MAP: i32 = 28; //         address of the map of block starts
export const HEADER_AGENTS: i32 = 32; //      the last agent id given out, never reused (any agent that joins)
// number of blocks in the free lists: 0 spares a search (pushFreeBlock, popFreeBlock)
export const HEADER_FREED: i32 = 36;
export const HEADER_AGENT_POOL = 40; //   newest block of agent records; 0 = none yet (addToPool)
export const HEADER_ELEMENT_POOL = 44; // newest block of elements
export const HEADER_LEDGER_POOL = 48; //  newest block of ledgers
export const HEADER_MAX_PAGES: i32 = 52;
// 1: an agent has waited on a condition since the arena was created (pushOntoChain, sleepOn)
export const HEADER_WATCHED: i32 = 56;
export const HEADER_LISTS: i32 = 60; //      address of the heads of the free lists
export const HEADER_TAGS: i32 = 64; //       i64: how many tags were given out; grows by add (any creator)
// blocks freed since the free ones were last joined (memory/heap.ts)
export const HEADER_FREED_SINCE_JOIN: i32 = 72;
export const HEADER_RETIRED: i32 = 80; //    i64: list of blocks that were freed and that an agent still refers to
// how often a recovery left something to agents that have loaded a kind (recovery/pending.ts)
export const HEADER_PENDING: i32 = 88;
// block of the table of names, 0 = none yet; the first agent that needs it sets it (@sluice/named)
export const HEADER_NAMES: i32 = 92;

// Values: the waiting array.
export const BUCKETS: i32 = 256;
/** log2 of a bucket's size. A bucket has a line of its own, so that neighbouring tickets never touch the same line. */
export const BUCKET_SHIFT: i32 = 6;

// Words of a bucket. It begins with the head of its chain of semaphore waiters (chain.ts). The words behind it are for
// agents that wait on a condition by key. condition-chain.ts has the table of their values and writers.
export const SEQUENCE: i32 = 8; //  i64: how often the bucket's key was signalled; grows by add (signalKey, wakeAllAt)
export const CHAIN: i32 = 16; //    newest waiter for a condition, 0 = none (pushOntoChain, signalChain, leaveChain)
export const SLOT: i32 = 20; //     the same, for waiters at a location
export const UPDATES: i32 = 24; //  as SEQUENCE, in 32 bits: a word to sleep on; grows by add (update)
// agents that sleep on UPDATES, or on a word whose key leads here (sleepOn + 1, wakeUp - 1)
export const SLEEPERS: i32 = 28;

// Words of a block. Every object on the heap is a block.
export const BLOCK_TAG: i32 = 0; //   tag > 0: in use; -tag: closed; 0: free or not yet published
export const BLOCK_KIND: i32 = 4; //  KIND_*
export const BLOCK_SIZE: i32 = 8; //  bytes; changes only while an agent has the block claimed (split, absorb)

// Words of a claimed block, beside those of a block: KIND_CLAIMED, KIND_LEAVING.
export const BLOCK_OWNER: i32 = 12; // an agent id, or -AGENT_THREAD of an agent that joins

// Words of a listed block, beside those of a block: KIND_FREE, KIND_RETIRED.
export const BLOCK_NEXT: i32 = 12; //  the next block of the list

// Words of a pool, beside those of a block: an array of equal records.
export const POOL_NEXT: i32 = 16;
export const POOL_COUNT: i32 = 20;
export const POOL_STRIDE: i32 = 24;
export const POOL_RESERVED: i32 = 28; // of elements: 1: for waits that block alone (agent/element-pool.ts)

// Words of a line, beside those of a block: 128 bytes, at which agents wait. The block of a primitive begins with a
// line, and may have more.

// of permits: the bound `max`, 0 = unbounded; of other primitives: a number that their kind defines
export const LIMIT: i32 = 40;
export const FLAGS: i32 = 44; // FLAG_*

// Words of a first line, beside those of a line.
export const BLOCK_ERA: i32 = 12; //  how often the tags had wrapped when the block was published
export const BLOCK_NAME: i32 = 64; // 64 bytes: the length in bytes, then up to 60 bytes of UTF-8

// Values.
export const BLOCK_LINE: i32 = 128;
export const NAME_BYTES: i32 = 60;
/** The offset of a pool's first record. */
export const POOL_RECORDS: i32 = 128;

export const KIND_FREE: i32 = 0;
export const KIND_CLAIMED: i32 = 1;
export const KIND_POOL: i32 = 2;
export const KIND_REGION: i32 = 3;
export const KIND_SEMAPHORE: i32 = 4;
export const KIND_LEAVING: i32 = 19; // taken out of use: BLOCK_OWNER is about to free it
export const KIND_RETIRED: i32 = 20; // freed, but an agent still refers to it: in the list HEADER_RETIRED

/** The last code of a base kind. Packages define kinds with larger codes (../agent/kind.ts). */
export const LAST_BASE_KIND: i32 = 63;

// Words of a line with tickets, beside those of a line. admit.ts defines the values.
export const TICKET: i32 = 16; // i64
export const GRANT: i32 = 24; //  i64

// Words of permits, beside those of a line with tickets.

// i64: permits that agents released for the agents that hold them (release, restore)
export const RELEASED_FOR_OTHERS: i32 = 32;
export const CAPACITY: i32 = 56; //  i64: all permits, free or taken; kept with FLAG_RECOVERY only (create, release)

// Words of a semaphore, beside those of a first line and of permits.
// the largest number of permits, if more than one, that a cancelled waiter wanted (cancelWait)
export const WIDEST: i32 = 48;

// Words of a line with its own chain, beside those of a line with tickets. It has FLAG_OWN_CHAIN, and WIDEST is not
// used.
export const OWN_CHAIN: i32 = 48; // head of that chain

// Words of a line with a sleep word, beside those of a line with tickets. It has FLAG_SLEEP_WORD.
export const SLEEP_WORD: i32 = 56; //      the word on which its blocking waiters sleep (../agent/sleep-word.ts)

// Words of a box office, beside those of a line with tickets. It stands in front of a semaphore, its bouncer, in the
// same line. No agent releases a bouncer's permits for others: the words of permits are free for the kind, which also
// defines OFFICE.
export const OFFICE: i32 = 56; //    i64, or its low half alone
export const OFFICE_HIGH: i32 = 60; // the high half of OFFICE, for code that reads it alone

// Words of a lock, beside those of a first line and of a line with tickets. Of a lock with FLAG_OWNED.
export const HEALTH: i32 = 48; //    lock-health.ts defines the values

// Words of an owned lock, beside those of a lock and of a box office.

// Words of a lock in turns, beside those of an owned lock. A running owner or writer may pass it again and again while
// agents wait (../locks/turn.ts).
export const SUCCESSOR_AT: i32 = 36; // the element of the successor that asked to be woken
export const TURN: i32 = 52; //         whose turn it is, and how many passes are left of it; only the owner writes it

// Values.
/** Bits of TURN: the number of passes left before the owner looks at the clock. */
export const PASSES_LEFT: i32 = 0x7fffff;
/** A bit of TURN: its agent took the turn over from another agent, and has not looked at the clock yet. */
export const TURN_TAKEN: i32 = 0x800000;
/**
 * Shift of a field of TURN: the low bits of the id of the agent whose turn it is. Two agents with the same low bits may
 * share a turn.
 */
export const TURN_OF: i32 = 24;
/** A value that TURN never has. It stands for an agent that has not looked at a lock in turns yet. */
export const NOT_SEEN: i32 = -1;

// Values: bits of FLAGS.
export const FLAG_RECOVERY: i32 = 1; // agents record in their ledgers what they hold
export const FLAG_OWNED: i32 = 2; //    its only permit is the ownership of a lock
// for the deadlock search: a waiter is admitted only after all holders have left
export const FLAG_GATE: i32 = 4;
// its waiters hang in the line itself, at OWN_CHAIN, and only its kind walks them (chain.ts)
export const FLAG_OWN_CHAIN: i32 = 8;
// with FLAG_OWNED: the permits are shares of a read lock. A dead reader leaves no data half changed
export const FLAG_SHARED: i32 = 16;
// ENTRY_HELD does not count permits at this line, and reports do not show it as held
export const FLAG_COUNTS_WAITS: i32 = 32;
export const FLAG_LAST: i32 = 64; // the last line of its block; data follows
/** A lock with the order 'turns'. Without it, each contended unlock hands the lock over. */
export const FLAG_TURNS: i32 = 1024;
// its waiters are admitted together, and those that block sleep on its word SLEEP_WORD (../agent/sleep-word.ts)
export const FLAG_SLEEP_WORD: i32 = 4096;
export const FLAG_WANTS: i32 = 16384; // its waiters say in WANTS how much they wait for
/**
 * Bits 29 to 31 of FLAGS in a block's first line: one bit for each of the first three lines whose OFFICE names an owner
 * in its low half (owner-word.ts).
 */
export const OWNERS_AT: i32 = 29;

// Words of a record in a pool.
export const OWNER: i32 = 0; //   its owner's agent id, 0 = free

// Words of an element, beside those of a record in a pool: one waiter. admit.ts defines the gate's states. For a wait
// on a condition (condition-chain.ts), LINE is the bucket, and COUNT tells which of its chains holds the element.
export const GATE: i32 = 4;
export const NEXT: i32 = 8; //   next element of the chain
export const UP: i32 = 12; //    in the first element of a detached chain: the chain to be walked after it
export const DRAWN: i32 = 16; // i64: the ticket; in a post, the first key still to be visited
export const COUNT: i32 = 32; // permits wanted
export const LINE: i32 = 36;
export const TAG: i32 = 40; //    the semaphore's tag when the ticket was drawn
// a waiter: MODE_*. A tombstone: 2 or more is the number of permits of the merged tombstone before it
// (merge-tombstones.ts)
export const MODE: i32 = 44;
export const SINCE: i32 = 48; //   i64: ms since 1970, when the wait began
export const LEAVING: i32 = 56; // 1: cancelled, and the box office no longer counts it (cancel-wait.ts)

// Words of a post, beside those of an element: a claimed tombstone whose permits are to be announced. While a waiter
// uses the element, these bytes belong to its kind.
export const POST_END: i32 = 24; //     i64: the first key that no agent had drawn

// Words of an element on a condition, beside those of an element: what its agent waits for, for reports
// (report/claims.ts).
export const CLAIM_PERMITS: i32 = 24;
export const CLAIM_TAG: i32 = 28;

// Words of an element of a successor, beside those of an element.

// 1: its waiter is the successor and has found the lock taken; no chain and no walker has the element
export const SUCCEEDS: i32 = 24;
export const SUCCEEDS_SINCE: i32 = 28; // since when, in µs on its agent's own clock, wrapping; 0: not known
export const TURN_SEEN: i32 = 60; //      TURN when its waiter, the successor, last looked

// Words of an element at a line with FLAG_WANTS, beside those of an element.
export const WANTS: i32 = 60; //  how much its agent waits for, for reports

// Values.
export const ELEMENT_STRIDE: i32 = 64;
export const MODE_BLOCKING: i32 = 0;
export const MODE_ASYNC: i32 = 1;

// Words of an agent record, beside those of a record in a pool: the agent's operations in flight. The kernel step that
// begins an operation also records it, so that another agent can restore order after a death
// (recovery/recover-agent.ts; docs/step-records.md).

// the agent that works on this record: -id while it checks whether the owner is dead, id while it recovers the owner
export const AGENT_RECLAIMER: i32 = 4;
export const AGENT_CHAIN: i32 = 8; //      first element of the detached chain being walked
export const AGENT_IN_FLIGHT: i32 = 12; // element taken out of that chain and not yet placed
export const AGENT_POSTS: i32 = 16; //     claimed tombstones whose permits are still to be announced
export const AGENT_NOTIFY: i32 = 20; //    element that got its verdict and was not yet notified
export const AGENT_POST_LINE: i32 = 24; // the post being announced: semaphore, 0 = none
export const AGENT_SWEEP: i32 = 28; //     buckets still to be detached for a semaphore that was closed or freed
export const AGENT_POST_FROM: i32 = 32; // i64: next key to visit
export const AGENT_POST_KEYS: i32 = 40; // how many keys are left
export const AGENT_SPARE: i32 = 44; //     element for the agent's next wait, 0 = none
export const AGENT_STATE: i32 = 48; //     AGENT_*
export const AGENT_THREAD: i32 = 52; //    1 + the platform's id of its thread, 0 = the platform gives none
// liveness token: async waits that end with the agent are pending here (liveness-probe.ts)
export const AGENT_LIFE: i32 = 56;
export const AGENT_ARMED: i32 = 60; //      a lower bound on their number
export const AGENT_JOINED: i32 = 64; //     i64: ms since 1970
export const AGENT_PARKS: i32 = 72; //      times that this agent woke from a park (statistics)
// 1 + the number of buckets not yet gathered, 0 = no gathering is under way (merge-tombstones.ts)
export const AGENT_GATHER: i32 = 76;
export const AGENT_GATHERED: i32 = 80; // list of the tombstones gathered, by NEXT and UP
export const AGENT_ENTRIES: i32 = 84; //  how many ledger entries it has opened (agent/other-entries.ts)
export const AGENT_TO_WAKE: i32 = 88; //  first of the elements to be woken (condition-chain.ts), 0 = none
// the agent's own id: it has a permit to return from `park` of @sluice/address-wait. Any other value: it has none
export const AGENT_PERMIT: i32 = 92;
export const AGENT_OS_THREAD: i32 = 96; // Linux's id of its thread, 0 = not known (agent/identity.ts)
export const AGENT_RUNTIME: i32 = 100; //  index of its runtime in RUNTIMES (platform/thread.ts), 0 = not known
// line that the step in progress acts on without another reference to it (kernel/hazard.ts), 0 = none
export const AGENT_HAZARD: i32 = 116;

// Duties that a step of a kind left for the kind's own walk. Only one kind at a time has duties: a walk ends before the
// agent's next step.

// 44 bytes: `agent + KIND_AREA` repeats the words AGENT_CHAIN to AGENT_POST_KEYS, for chains and posts that only the
// kind walks
export const KIND_AREA: i32 = 120;
export const AGENT_DUTY_KIND: i32 = 164; // code of the kind, 0 = nothing was left
export const AGENT_DUTY: i32 = 168; //      line or block that it concerns: a reference (memory/references.ts)
export const AGENT_DUTY_TAG: i32 = 172; //  for the kind, as are the words up to the stub
export const AGENT_DUTY_FROM: i32 = 176; // i64
export const AGENT_DUTY_COUNT: i32 = 184;
export const AGENT_DUTY_LEFT: i32 = 188;
// 64 bytes, laid out as an element: it holds a ticket that was drawn without a spare element, and is in a chain only as
// the tombstone of a dead agent
export const AGENT_STUB: i32 = 192;
// 256 bytes: copies that a step makes for its agent alone; no other agent reads them, and recovery ignores them
export const AGENT_SCRATCH: i32 = 256;
// 64 bytes: the name of its thread: the length in bytes, then up to 60 bytes of UTF-8 (agent/identity.ts)
export const AGENT_NAME: i32 = 512;

// Values.
export const AGENT_STRIDE: i32 = 576;
export const AGENT_ALIVE: i32 = 1; //       as far as is known; AGENT_RECLAIMER tells more
export const AGENT_LEFT: i32 = 2; //        recovered; the record stays until its stub is off its chain
// dead; the rest of its recovery needs an agent that has loaded a kind (recovery/pending.ts)
export const AGENT_PENDING: i32 = 3;

// Words of a ledger entry. A ledger records the permits that one agent holds, with one entry per semaphore. In place of
// entry 0, it has the words of a record in a pool.
export const ENTRY_HELD: i32 = 0; //   i64: permits held
// i64: ms since 1970 of the last acquisition that had to wait; 0 = it did not wait; -1 = died before it knew
export const ENTRY_SINCE: i32 = 8;
export const ENTRY_LINE: i32 = 16;
export const ENTRY_TAG: i32 = 20; //   0 = entry not in use

// Words of an entry that is opened, beside those of a ledger entry. Afterwards these bytes belong to the kind of the
// primitive.
export const ENTRY_OF_KIND: i32 = 24; // i64: 0

// Values.
export const LEDGER_STRIDE: i32 = 256;
export const ENTRY_STRIDE: i32 = 32;
