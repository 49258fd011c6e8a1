// Every step that the seq-lock's WebAssembly kernel exports: the entry of its build.

export { changedSince, loadPart, loadShort } from './load.ts';
