// @ts-check
// A file of the core, without its content (five.mjs).
export {};
