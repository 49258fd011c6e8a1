// Every step that the broadcast's WebAssembly kernel exports: the entry of its build.

export {
  beginBroadcastRead,
  cancelBroadcastWait,
  claimBroadcastSlot,
  closeBroadcast,
  confirmBroadcastRead,
  enqueueAtBroadcast,
  pollBroadcast,
  publishBroadcast,
  restoreBroadcastSlot,
  startBroadcast,
} from './broadcast.ts';
export {
  beginBroadcastScan,
  closeHeldBroadcast,
  endBroadcastScan,
  enqueueForBroadcastRoom,
  publishHeldBroadcast,
  scanBroadcastMark,
  seekBroadcastRoom,
} from './publisher-waits.ts';
export { freeBroadcastMark, freeDeadBroadcastMark, passBroadcastMark, takeBroadcastMark } from './marks.ts';
