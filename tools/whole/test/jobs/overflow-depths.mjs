// @ts-check
// Calls at every depth of the stack at which they may overflow.
import { runInThisContext } from 'node:vm';

/** Calls `act` below `depth` frames. @type {(depth: number, act: () => unknown) => unknown} */
export const below = (depth, act) => (depth === 0 ? act() : below(depth - 1, act));
/** Frames that differ by one word each. They shift the place of the overflow. */
export const SHIFTS = Array.from({ length: 13 }, (_, words) => {
  const zeros = Array.from({ length: words }, () => '0, ').join('');
  const names = Array.from({ length: words }, (_, n) => `a${n}, `).join('');
  const code = `(() => { function pass(${names}act) { return act(); } return (act) => pass(${zeros}act); })()`;
  return /** @type {(act: () => unknown) => unknown} */ (runInThisContext(code));
});
/** How many depths are tried below and above the greatest depth at which a call returns. */
const [DEEPER, LESS_DEEP] = [30, 3];

/** The depths to try, if a call returns at `end` and at no greater depth. @type {(end: number) => number[]} */
export const depthsAround = (end) => Array.from({ length: DEEPER + LESS_DEEP }, (_, less) => end + DEEPER - less);

/**
 * The greatest depth at which `ends` returns true. Frames become smaller when they are compiled, so it changes. @type
 * {(ends: (depth: number) => boolean | Promise<boolean>) => Promise<number>}
 */
export async function deepestOf(ends) {
  let [fits, overflows] = [0, 20_000];
  while (overflows - fits > 1) {
    const depth = (fits + overflows) >> 1;
    if (await ends(depth)) fits = depth;
    else overflows = depth;
  }
  return fits;
}
