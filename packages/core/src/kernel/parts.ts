// The parts of the core's kernel from which a kind's kernel is made: the entry '@sluice/core/kernel'.
// docs/new-primitive.md shows how.

export { acquire, announce, beginPost, credit, debit, giveMore, NOTED, queue, takeBack, tryAcquire } from './admit.ts';
export { cancelAdmitted, isAlone, pollAdmitted } from './admitted.ts';
export { cancelAt, draw, pollAt, restoreAt, type BoxOffice, type RecordedOffice } from './bouncer.ts';
export * from './addresses.ts';
export { areaOf, bucketOf, detach, detachOf, discard, push } from './chain.ts';
export {
  cancelCompeting,
  cancelCompetingAt,
  freeWord,
  parkCompeting,
  pollCompeting,
  takeOrEnqueue,
  takeWord,
  wakeOrFree,
  type CompetingOffice,
} from './competing.ts';
export { signalChain, signalKey, signalSlot, update, wordToNotify } from './channel.ts';
export { guard, unguard } from './guard.ts';
export { close } from './heap.ts';
export * from './layout.ts';
export { leaveGuarded } from './leave.ts';
export { freeOwned, hasNotice, isUnseen, markUnseen, NOTICE, orphan, ownerOf, takeFree } from './owner.ts';
export { offset } from './recover.ts';
export { announceOrAdmit } from './release.ts';
export * from './states.ts';
export { keepsTicket, rollBack } from './roll-back.ts';
export { makeDueAt, parkInTurns, pollInTurns, succeeds, type TurnOffice } from './successor.ts';
export { isTurnOf, turnOf } from './turns.ts';
export { beginWait, isFreed, isShut, isShutFor, progress } from './wait.ts';
export { putBack, rewake, walkChains, type ChainKind } from './walk.ts';
// List the exports by name: in WebAssembly the file exports nothing else, and no kind needs the memory behind the
// words.
export {
  add32,
  add64,
  cas32,
  cas64,
  clamp,
  exchange32,
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
