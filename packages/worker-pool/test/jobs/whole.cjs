// @ts-check
// CommonJS: one function, with another one on it.
module.exports = (/** @type {number} */ input) => ['whole', input];
module.exports.other = (/** @type {number} */ input) => ['other', input];
