// Every step that the WebAssembly kernel of this package exports: the entry of its build.

export { departCapacitor, departCapacitorForDead, isCapacitorEmpty } from './capacitor.ts';
export { arriveInLane, cancelLaneWait, tryArriveInLane, walkLanes } from './lanes.ts';
export { departOverCapacitor } from './over-semaphore.ts';
export { freeOwned as leaveTurnstile, takeFree as enterTurnstile } from '@sluice/core/kernel';
export { departTurnstileForDead, enqueueAtTurnstile, isTurnstileUnused } from './turnstile.ts';
export {
  cancelMutexWait as cancelTurnstileWait,
  handOverMutex as departTurnstile,
  lockMutexInTurn as enterInTurn,
  makeMutexDue as makeTurnDue,
  parkMutex as parkTurnstile,
  pollMutex as pollTurnstile,
  unlockMutexInTurn as leaveInTurn,
} from '@sluice/mutex/kernel';
