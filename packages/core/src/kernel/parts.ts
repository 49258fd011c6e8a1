// The parts of the core's kernel from which a kind's kernel is made: the entry '@sluice/core/kernel'.
// docs/new-primitive.md shows how.

export { acquire, announce, beginPost, credit, debit, giveMore, NOTED, queue, takeBack, tryAcquire } from './admit.ts';
export { cancelAdmitted, isAlone, pollAdmitted } from './admitted.ts';
export { cancelAt, draw, pollAt, restoreAt, type BoxOffice, type RecordedOffice } from './bouncer.ts';
export { areaOf, bucketOf, detach, detachOf, discard, push } from './chain.ts';
export {
  cancelCompeting,
  cancelCompetingAt,
  parkCompeting,
  pollCompeting,
  takeOrEnqueue,
  takeWord,
  wakeOrFree,
} from './competing-lock.ts';
export { signalChain, signalKey, signalSlot, update, wordToNotify } from './condition-chain.ts';
export { clearHazard, setHazard } from './hazard.ts';
export { close } from './heap.ts';
export { cancelWaitUnderHazard } from './cancel-wait.ts';
export { moveFirst, type ReceivingOffice } from './move.ts';
export { freeOwned, hasNotice, isUnseen, markUnseen, orphan, ownerOf, takeFree } from './owner-word.ts';
export { offset } from './recovery-steps.ts';
export { announceOrAdmit } from './release.ts';
export { rollBack } from './roll-back.ts';
export { makeDueAt, parkInTurns, pollInTurns, succeeds, type TurnOffice } from './successor-in-turns.ts';
export { hasPassesLeft, isTurnOf, turnOf } from './turns.ts';
export { beginWait, endWait, isFreed, isShut, isShutFor, park, progress } from './wait.ts';
export { putBack, rewake, walkChains, type ChainKind } from './walk.ts';
// List the exports by name: in WebAssembly the file exports nothing else, and no kind needs the memory behind the
// words.
export {
  add32,
  add64,
  cas32,
  cas64,
  clamp,
  field21,
  fromNumber,
  get32,
  get64,
  high32,
  load32,
  load64,
  low32,
  minus,
  pair,
  plus,
  put32,
  put64,
  shifted,
  store32,
  store64,
  times32,
  toNumber,
  unsigned,
  wide,
} from './words.ts';
