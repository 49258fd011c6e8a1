// Every step that the WebAssembly kernel of the papers' semaphores exports: the entry of its build.

export { boxTake as takeAtBox, boxTakeAll as takeTokens } from '@sluice/semaphores/kernel';
export { boxRelease, enqueueAtBox } from './box-office.ts';
export { beginDrain, drawShare, endDrain } from './drain-lanes.ts';
export { acquireTicket, closeOfFamily, giveTokens, releaseBlindly, releaseTickets } from './posts.ts';
export { slotOfTicket } from './hash.ts';
export { cancelMemberWait, pollMember, restoreMember } from './lines.ts';
export { beginMerge, mergeNeighbours } from './merge.ts';
export { closeFront, enterLane, postToLanes, tryEnterLane } from './multilane.ts';
export { walkMembers } from './walk.ts';
