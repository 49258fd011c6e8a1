// Every step that the limit's WebAssembly kernel exports: the entry of its build.

export { startInRing, startInWindow } from './interval.ts';
export { reduce, resize } from './slots.ts';
