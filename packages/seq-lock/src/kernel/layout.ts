// The words of a seq-lock, behind the line of its mutex: four words, then the two copies of the value.

// Words of a seq-lock's data.
// 2 × version; odd while the next version is being written, or its writer died (../sequence.ts)
export const VALUE_SEQUENCE: i32 = 0;
// increases before VALUE_SEQUENCE passes 2^31 or 2^32, so a reader can tell two equal values of VALUE_SEQUENCE apart
export const ERA: i32 = 4;
export const CLOSED: i32 = 8; //         1: no more writes
export const BYTES: i32 = 12; //         the length of the value

// Values.
// offset of the first copy. Each copy has cache lines of its own, so a write to one does not slow reads of the other
export const COPIES: i32 = 64;
/**
 * The number of steps by which VALUE_SEQUENCE may advance from an even value before the copy of that value is written
 * again.
 */
export const REUSED: i32 = 3;
/** The number of words of a cache line. */
export const LINE: i32 = 16;
/** The number of words that one step copies, which is the size of an agent's scratch. */
export const PART: i32 = 64;
