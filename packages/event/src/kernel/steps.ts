// Every step that the manual-reset event's WebAssembly kernel exports: the entry of its build.

export { cancelManualWait, enqueueAtManualEvent, pollManualEvent, resetManualEvent, setManualEvent } from './manual-event.ts';
