// Every step that this package's WebAssembly kernel exports: the entry of its build.

export {
  cancelManualWait,
  enqueueAtManualEvent,
  pollManualEvent,
  resetManualEvent,
  setManualEvent,
} from './manual-event.ts';
export { claimOnce, closeOnce, endOnce, enqueueAtOnce, restoreOnce } from './once.ts';
