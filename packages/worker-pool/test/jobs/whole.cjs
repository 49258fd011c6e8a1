// @ts-check
// CommonJS: one function, with another one on it.
const whole = (/** @type {number} */ input) => ['whole', input];
const other = (/** @type {number} */ input) => ['other', input];
module.exports = Object.assign(whole, { other });
