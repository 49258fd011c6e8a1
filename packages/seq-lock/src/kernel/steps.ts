// Every step that the seq-lock's WebAssembly kernel exports: the entry of its build.

export { loadSeqLockPart, loadShortSeqLock, seqLockChangedSince } from './load.ts';
