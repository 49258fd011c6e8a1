// @ts-check
// Like promised.mjs, for an object.
export default Promise.resolve({ inside: (/** @type {number} */ input) => ['inside', input] });
