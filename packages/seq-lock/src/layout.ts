// The data of a seq-lock, behind the line of its mutex: four words, then the two copies of the value.

// Words of a seq-lock's data.
export const SEQUENCE = 0; // 2 × version; odd while the next version is being written, or its writer died (sequence.ts)
export const ERA = 4; //      increases before SEQUENCE passes 2^31 or 2^32, so it tells apart equal values of SEQUENCE
export const CLOSED = 8; //   1: no more writes
export const BYTES = 12; //   the length of the value

// Values.
export const COPIES = 64; //  where the first copy begins. Each copy has cache lines of its own: a write to one does not slow reads of the other

const CACHE_LINE = 64;

/** The bytes from one copy to the next. */
export function strideOf(byteLength: number): number {
  return Math.ceil(byteLength / CACHE_LINE) * CACHE_LINE;
}

/** The bytes of the data of a seq-lock. */
export function dataBytesOf(byteLength: number): number {
  return COPIES + 2 * strideOf(byteLength);
}
