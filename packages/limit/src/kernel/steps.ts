// Every step that the limit's WebAssembly kernel exports: the entry of its build.

export { moveInRing, startInRing, startInWindow } from './interval.ts';
export { reduceLimit, resizeLimit } from './slots.ts';
