// Copies of a few words from one array to another, both of this thread.

/** The number of words from which `set` copies faster than element by element. */
export const MANY = 17;

/**
 * Copies fewer than MANY words. With constant indices the engine checks bounds once for each array, which takes half
 * the time of a loop.
 */
export function copyFew(from: Int32Array, into: Int32Array, count: number): void {
  if (count === 4) {
    // The highest index first: its check covers the others.
    into[3] = from[3] as number;
    into[0] = from[0] as number;
    into[1] = from[1] as number;
    into[2] = from[2] as number;
    return;
  }
  let n = 0;
  if (count >= 4) {
    into[0] = from[0] as number;
    into[1] = from[1] as number;
    into[2] = from[2] as number;
    into[3] = from[3] as number;
    n = 4;
    if (count >= 8) {
      into[4] = from[4] as number;
      into[5] = from[5] as number;
      into[6] = from[6] as number;
      into[7] = from[7] as number;
      n = 8;
      if (count === 16) {
        into[8] = from[8] as number;
        into[9] = from[9] as number;
        into[10] = from[10] as number;
        into[11] = from[11] as number;
        into[12] = from[12] as number;
        into[13] = from[13] as number;
        into[14] = from[14] as number;
        into[15] = from[15] as number;
        return;
      }
    }
  }
  for (; n < count; n++) into[n] = from[n] as number;
}
