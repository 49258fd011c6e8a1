// @ts-check
// Functions in the default export.
export default { inside: (/** @type {number} */ input) => ['inside', input], notOne: 5 };
export const nothing = null;
