// Statuses in one 32-bit word, 4 bits for each philosopher: room for 8 of them. No status is higher than the number of
// philosophers (rule.mjs, 2.). So 8 is the highest, and 4 bits hold up to 15.

const BITS = 4;
const MASK = (1 << BITS) - 1;
export const MAX_IN_WORD = 32 / BITS;

/**
 * @param {import('../rule.mjs').Statuses} statuses
 * @returns {number} signed, as an Int32Array has it
 */
export function pack(statuses) {
  let word = 0;
  for (let index = 0; index < statuses.length; index++) word |= (statuses[index] ?? 0) << (index * BITS);
  return word;
}

/**
 * @param {number} word
 * @param {import('../rule.mjs').Statuses} statuses all of them are overwritten
 */
export function unpack(word, statuses) {
  for (let index = 0; index < statuses.length; index++) statuses[index] = (word >>> (index * BITS)) & MASK;
}
