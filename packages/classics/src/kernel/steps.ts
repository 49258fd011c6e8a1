// Every step that the locks' WebAssembly kernel exports: the entry of its build.

// A queued lock is taken when free, and freed, as every owned word is.
export { freeOwned as unlockQueued, takeFree as lockQueued } from '@sluice/core/kernel';
export {
  cancelQueuedWait,
  enqueueAtQueuedLock,
  handOverQueued,
  pollQueued,
  releaseQueuedForDeadOwner,
} from './queued.ts';
export { enqueueAtTicketLock, lockTicket, passTicket, unlockTicket } from './ticket-lock.ts';
export {
  cancelTtsWait,
  enqueueAtTts,
  lockTts,
  parkTts,
  passTts,
  pollTts,
  releaseTtsForDeadOwner,
  unlockTts,
} from './tts.ts';
