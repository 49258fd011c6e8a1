// The words of a cache's store, behind the table of its keys' locks. All addresses count from the start of the store.
//
//   words      the sizes, the heads of the lists, the counters
//   buckets    4 bytes each: the first entry of a list, 0 = none
//   links      8 bytes for each chunk: NEXT, MARK
//   chunks     256 bytes each
//
// Chunks are numbered from 1. An entry is a chain of chunks, and its number is that of its first chunk. The chain holds
// the words of the entry, then its key, then its value.
//
// Writers: the owner of the mutex of the table in front of the store writes every word here (store.ts has the order and
// the invariants). The sizes, TTL and STALE_FOR do not change after the cache was created.

// Words of a store.
export const CHUNKS = 0; //      the number of chunks
export const BUCKETS_AT = 4; //  log2 of the number of buckets
export const FREE = 8; //        the first free chunk, 0 = none
export const FREE_COUNT = 12;
export const NEWEST = 16; //     the entry that was used last, 0 = none
export const OLDEST = 20;
export const ENTRIES = 24; //    how many there are
export const CLEARS = 28; //     how often the cache was cleared
export const CLOCK = 32; //      two words: the last USED that was given out
export const TTL = 40; //        two words: ms, 0 = values do not expire
export const STALE_FOR = 48; //  two words: ms
export const HITS = 56; //       the counters have two words each
export const MISSES = 64;
export const COMPUTED = 72;
export const FAILED = 80;
export const EVICTED = 88;
export const EXPIRED = 96;
export const TIME = 104; //      two words: the latest time that an agent has seen, in ms since 1970
export const BUCKETS = 128;

// Words of a link.
export const NEXT = 0; // the next chunk of the chain or of the free chunks, 0 = none
export const MARK = 4; // 1: the first chunk of an entry that readers may find

// Words of an entry, in its first chunk.
export const HASH = 0; //        of the key
export const UNITS = 4; //       of the key, in UTF-16 code units
export const VALUE_BYTES = 8;
export const COUNT = 12; //      of its chunks
export const LAST = 16; //       its last chunk
export const IN_BUCKET = 20; //  the next entry of its bucket, 0 = none
export const NEWER = 24; //      the entry that was used next after it, 0 = none
export const OLDER = 28;
export const USED = 32; //       two words: greater for an entry that was used later
export const EXPIRES = 40; //    two words: ms since 1970, 0 = never
export const VERSION = 48; //    two words: the first USED

// Values.
/** The size of an entry's words. The key follows. */
export const ENTRY_BYTES = 56;
export const CHUNK_BYTES = 256;
export const LINK_BYTES = 8;
export const FEWEST_CHUNKS = 16;
/** The maximum number of UTF-16 code units of a key, as a table of locks has it. */
export const MOST_UNITS = 4096;
export const MOST_BUCKETS_AT = 22;

/** Returns the log2 of the number of buckets for that many chunks: an entry has one chunk or more. */
export function bucketsFor(chunks: number): number {
  return Math.min(MOST_BUCKETS_AT, Math.max(4, Math.ceil(Math.log2(chunks))));
}

/** Returns the size of a store in bytes. */
export function storeBytes(chunks: number, bucketsAt: number): number {
  return BUCKETS + 4 * 2 ** bucketsAt + chunks * (LINK_BYTES + CHUNK_BYTES);
}
