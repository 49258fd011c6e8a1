// Every step that the WebAssembly kernel of this package exports: the entry of its build.

export {
  addToLatch,
  cancelLatchWait,
  claimAtLatch,
  countDown,
  enqueueAtLatch,
  pollLatch,
  restoreClaims,
} from './latch.ts';
export { arriveAtBarrier, breakBarrier, mendBarrier, tripBarrier } from './barrier.ts';
export { cancelBarrierWait, missingAtBarrier, pollBarrier } from './barrier-wait.ts';
export { arriveAtBarrierToSleep, wakeAtBarrier } from './barrier-sleep.ts';
export { prepareSleepAtBarrier, wakeBarrierSleepers } from './sleep-word.ts';
export { claimParties, leaveBarrier, registerAtBarrier, restoreParties } from './parties.ts';
