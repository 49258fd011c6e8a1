// The steps that this package's WebAssembly kernel exports. Each becomes one function without loops and calls.

export { cancelEventWait, consumeEvent, enqueueAtEvent, pollEvent, restoreSignals, signalEvent } from './event.ts';
