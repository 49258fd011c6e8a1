// Every step that the WebAssembly kernel of this package exports: the entry of its build.

export { boxTake, boxTakeAll } from './box-office.ts';
export { cancelLevelWait, pollLevel, restoreLevels } from './level-waits.ts';
export { closeLevels, enqueueAtLevel, levelsRelease, walkLevels } from './levels.ts';
export {
  closeSized,
  drainSized,
  enqueueSized,
  forgetSized,
  releaseSized,
  resizeSized,
  restoreSized,
  takeSized,
} from './resizable.ts';
export { cancelAllSized, walkSized } from './resizable-cancel.ts';
export { cancelSized, parkSized, pollSized } from './resizable-waits.ts';
export { cancelWatcher, pollWatcher, watchSized } from './resizable-watch.ts';
