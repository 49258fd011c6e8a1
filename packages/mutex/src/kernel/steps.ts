// Every step that the mutex's WebAssembly kernel exports: the entry of its build.

export {
  enqueueAtMutex,
  handOverMutex,
  lockMutex,
  passMutexInOrder,
  relockMutex,
  unlockMutex,
  unrelockMutex,
} from './mutex.ts';
export { cancelMutexWait, makeMutexDue, parkMutex, pollMutex } from './waiter.ts';
export { releaseMutexForDeadOwner } from './owner-death.ts';
