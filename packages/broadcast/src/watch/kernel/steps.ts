// Every step that the watch cell's WebAssembly kernel exports: the entry of its build.

export {
  beginWatchRead,
  cancelWatchWait,
  claimWatchSlot,
  closeWatch,
  confirmWatchRead,
  enqueueAtWatch,
  pollWatch,
  publishWatchSlot,
  restoreWatchSlot,
} from './watch-cell.ts';
