// Every step that the mutex's WebAssembly kernel exports: the entry of its build.

export {
  enqueueAtMutex,
  handOver,
  lock,
  passInOrder,
  releaseMutexForDeadOwner,
  relock,
  unlock,
  unrelock,
} from './mutex.ts';
export { cancelMutexWait, makeDue, parkMutex, pollMutex } from './waiter.ts';
