// The words of tables of names. A table and its entries are mutexes with data behind their line.
//
//   table   the mutex that guards it · the head of one list for each bucket
//   entry   the lock of one name · its place in a list · payload · the name
//
// A table and its entries refer to each other by addresses of blocks.
//
// Writers: `create` writes the words of a table before any agent can find it. Afterwards the owner of the table's mutex
// writes all words of the table and of its entries. The exceptions: in a table of names, the owner of an entry's lock
// writes the payload, BYTES, and STATE. In the other tables the kind of the entries
// defines the writer of the payload.

// Words of a table.
export const MARK = 0; //      MARK_*: what the table is for
export const IS_CLOSED = 4; // 1: about to be freed
export const PAYLOAD = 8; //   bytes between the words of an entry and its name
export const FORGETS = 12; //  1: the next owner of a name is not told that an owner died
export const INSERTED = 16; // entries made since unused ones were last looked for
export const ENOUGH = 20; //   how many may be made until then
export const BUCKETS_AT = 24; // log2 of the number of buckets
export const KEPT = 28; //      the greatest number of residents
export const RESIDENTS = 32; // how many there are, used or not
export const REPLACED = 36; //  1: an entry was replaced; it may still be in use, outside all lists
export const SEED = 40; //      of the hashes of its keys
export const HEADS = 64; //    4 bytes for each bucket: its first entry, 0 = none

// Words of an entry. Bytes 4 to 7 stay 0: a recovery that frees the block looks there for the kind of a line.
export const TABLE = 0; //     the block of its table
export const TABLE_TAG = 8;
export const NEXT = 12; //     the next entry of its bucket, 0 = none
export const HASH = 16;
export const LENGTH = 20; //   of the name, in UTF-16 code units
export const STATE = 24; //    0, IS_READY or IS_RESIDENT
export const BYTES = 28; //    of the payload that are in use
export const PAYLOAD_AT = 32; // then the name, two code units in four bytes

// Values.
export const MARK_NAMES = 0x454d414e; // "NAME"
export const MARK_KEYS = 0x5359454b; //  "KEYS"
export const MARK_LOCKS = 0x4b434f4c; // "LOCK"
export const MARK_RATES = 0x45544152; // "RATE"
export const MARK_SLOTS = 0x544f4c53; // "SLOT"
export const IS_READY = 1;
/**
 * The entry stays in the table while it is unused, and is counted in RESIDENTS. Its owner releases the lock without the
 * mutex of the table.
 */
export const IS_RESIDENT = 2;
/**
 * Bounds for walks through damaged memory. A list with more entries is compared with the arena's size. No table has
 * more buckets, and no payload more bytes.
 */
export const FEW_ENTRIES = 1024;
export const MAX_BUCKETS_AT = 16;
export const MAX_PAYLOAD = 4096;
/** The log2 of the buckets of tables that the package creates: 512 buckets. */
export const USUAL_BUCKETS = 9;
/**
 * The log2 of the buckets of tables whose entries stay without a user: 4096 buckets. A key of a rate limiter stays
 * until its burst is full again.
 */
export const MANY_BUCKETS = 12;
/** The number of unused locks that a table of locks keeps. Creating a lock takes ten times as long as using it. */
export const USUALLY_KEPT = 128;
/** Entries with longer names never become residents. */
export const MAX_RESIDENT_UNITS = 128;
/**
 * The smallest number of entries that are created before a search for unused ones. The number is larger if more entries
 * were in use.
 */
export const FEWEST = 64;
/**
 * The number of entries created before a search, for each entry that may be a resident. A search also frees unused
 * residents. So the keys that a program uses in turn must fit between two searches.
 */
export const MADE_FOR_EACH_KEPT = 4;
