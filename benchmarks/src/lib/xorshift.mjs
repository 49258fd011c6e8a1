// @ts-check

/**
 * Marsaglia's 32-bit xorshift on a signed 32-bit state.
 * @param {number} x
 */
export function xorshift(x) {
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  return x;
}
