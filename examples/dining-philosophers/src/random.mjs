/**
 * Random numbers from 0 to 1, different for each philosopher, the same for the same seed (mulberry32).
 * @param {number} seed
 * @param {number} philosopher
 */
export function randomNumbers(seed, philosopher) {
  let state = seed ^ Math.imul(philosopher + 1, 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
