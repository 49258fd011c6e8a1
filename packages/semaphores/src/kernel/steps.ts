// Every step that the WebAssembly kernel of this package exports: the entry of its build.

export { boxRelease, boxTake, enqueueAtBox } from './box.ts';
export { beginDrain, drawShare, endDrain } from './drain-lanes.ts';
export { acquireTicket, closeOfFamily, giveTokens, releaseBlindly, releaseTickets, takeTokens } from './family.ts';
export { enqueueAtLevel, levelsRelease } from './levels.ts';
export { cancelMemberWait, pollMember, restoreMember } from './lines.ts';
export { beginMerge, mergeNeighbours } from './merge.ts';
export { closeFront, enterLane, postToLanes, tryEnterLane } from './multilane.ts';
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
export { walkMembers } from './walk.ts';
