// @ts-check
// As promised.mjs, in CommonJS.
module.exports = Promise.resolve((/** @type {number} */ input) => ['promised', input]);
