// Every step that the limit's WebAssembly kernel exports: the entry of its build.

export { reduce, resize } from './slots.ts';
