// @ts-check
// What a transpiler makes of a module.
Object.defineProperty(exports, '__esModule', { value: true });
exports.default = (/** @type {number} */ input) => ['transpiled', input];
exports.named = (/** @type {number} */ input) => ['named', input];
