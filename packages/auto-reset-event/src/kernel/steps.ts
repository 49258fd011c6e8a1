// The steps that this package's WebAssembly kernel exports. Each becomes one function without loops and calls.

export { cancelEventWait, consume, enqueueAtEvent, pollEvent, restoreSignals, signal } from './event.ts';
