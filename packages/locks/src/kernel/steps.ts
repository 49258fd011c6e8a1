// Every step that the locks' WebAssembly kernel exports: the entry of its build.

export {
  cancelDeadQueuedWait,
  cancelQueuedWait,
  enqueueAtQueuedLock,
  handOverQueued,
  lockQueued,
  pollQueued,
  releaseQueuedForDeadOwner,
  unlockQueued,
} from './queued.ts';
export { enqueueAtTicketLock, lockTicket, passTicket, unlockTicket } from './ticket-lock.ts';
export {
  cancelDeadTtsWait,
  cancelTtsWait,
  enqueueAtTts,
  lockTts,
  parkTts,
  passTts,
  pollTts,
  releaseTtsForDeadOwner,
  unlockTts,
} from './tts.ts';
