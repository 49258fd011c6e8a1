// Every step that the baton's WebAssembly kernel exports: the entry of its build.

export { cancelBatonWait, cancelDeadBatonWait, enqueueAtBaton, passBaton, pollBaton, restoreBaton } from './baton.ts';
