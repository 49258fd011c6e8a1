// Every step that the limit's WebAssembly kernel exports: the entry of its build.

export { moveInRing, startInRing, startInWindow } from './interval.ts';
export { reduce, resize } from './slots.ts';
