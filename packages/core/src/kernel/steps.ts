// Every step that the WebAssembly kernel exports: the entry of its build. Each becomes one function without loops and
// calls, so an agent that is killed has done either all of it or nothing (docs/decisions/001-kernel-in-webassembly.md).

export { acquire, adopt, balance, drain, tryAcquire } from './admit.ts';
export { release } from './release.ts';
export {
  leaveChain,
  sleepOnGate,
  pushOntoChain,
  moveOn,
  wakeAllAt,
  sequence,
  signalChain,
  signalKey,
  signalSlot,
  sleepOn,
  wakeUp,
} from './condition-chain.ts';
export { bucketAt } from './chain.ts';
export {
  absorb,
  addToPool,
  claim,
  close,
  claimRecord,
  extend,
  publish,
  retire,
  pushFreeBlock,
  split,
  detachTombstones,
  popFreeBlock,
} from './heap.ts';
export { mergeTombstones } from './merge-tombstones.ts';
export { beginWait, distance, endWait, goToSleep, link, park, poll, rejoin } from './wait.ts';
export { cancelWait, leaveLine, withdraw } from './cancel-wait.ts';
export { rewake, wakeEarly, walk } from './walk.ts';
export { dismiss, restore, takeOver } from './recovery-steps.ts';
