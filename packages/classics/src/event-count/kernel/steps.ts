// Every step that this WebAssembly kernel exports: the entry of its build.

export {
  advanceEventCount,
  cancelEventCountWait,
  drawAtSequencer,
  enqueueAtEventCount,
  pollEventCount,
} from './event-count.ts';
