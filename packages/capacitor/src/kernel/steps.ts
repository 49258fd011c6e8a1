// Every step that the WebAssembly kernel of this package exports: the entry of its build.

export { depart, departForDead, isEmpty } from './capacitor.ts';
export { arriveInLane, cancelLaneWait, tryArriveInLane, walkLanes } from './lanes.ts';
export { freeOwned as leaveTurnstile, takeFree as enterTurnstile } from '@sluice/core/kernel';
export { departDeadOwner, enqueueAtTurnstile, isUnused } from './turnstile.ts';
export {
  cancelMutexWait as cancelTurnstileWait,
  handOver as departTurnstile,
  lockInTurn as enterInTurn,
  makeDue as makeTurnDue,
  parkMutex as parkTurnstile,
  pollMutex as pollTurnstile,
  unlockInTurn as leaveInTurn,
} from '@sluice/mutex/kernel';
