// @ts-check
// As promised.mjs, of an object.
export default Promise.resolve({ inside: (/** @type {number} */ input) => ['inside', input] });
