// @ts-check

// The Mersenne Twister of Matsumoto and Nishimura, C++'s `std::mt19937`, over words that threads may share: the thread
// that steps it must hold a lock. As there, every 624th step makes the next 624 numbers at once.

const SIZE = 624;
const MIDDLE = 397;

/** So many words a generator needs: its state, and how many numbers of it are used up. */
export const generatorWords = SIZE + 1;

/**
 * @param {Int32Array} words
 * @param {number} seed
 */
export function seedGenerator(words, seed) {
  let before = seed | 0;
  words[0] = before;
  for (let i = 1; i < SIZE; i++) {
    before = (Math.imul(1812433253, before ^ (before >>> 30)) + i) | 0;
    words[i] = before;
  }
  words[SIZE] = SIZE;
}

/**
 * @param {Int32Array} words
 * @returns {number} the next number, as a signed one
 */
export function stepGenerator(words) {
  let used = words[SIZE] ?? 0;
  if (used >= SIZE) {
    refill(words);
    used = 0;
  }
  let x = words[used] ?? 0;
  words[SIZE] = used + 1;
  x ^= x >>> 11;
  x ^= (x << 7) & 0x9d2c5680;
  x ^= (x << 15) & 0xefc60000;
  return x ^ (x >>> 18);
}

/** @param {Int32Array} words */
function refill(words) {
  for (let i = 0; i < SIZE - MIDDLE; i++) words[i] = twist(words, i, i + 1, i + MIDDLE);
  for (let i = SIZE - MIDDLE; i < SIZE - 1; i++) words[i] = twist(words, i, i + 1, i + MIDDLE - SIZE);
  words[SIZE - 1] = twist(words, SIZE - 1, 0, MIDDLE - 1);
}

/**
 * @param {Int32Array} words
 * @param {number} i
 * @param {number} next
 * @param {number} far
 */
function twist(words, i, next, far) {
  const mixed = ((words[i] ?? 0) & 0x80000000) | ((words[next] ?? 0) & 0x7fffffff);
  return (words[far] ?? 0) ^ (mixed >>> 1) ^ (-(mixed & 1) & 0x9908b0df);
}
