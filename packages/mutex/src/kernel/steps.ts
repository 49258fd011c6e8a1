// Every step that the mutex's WebAssembly kernel exports: the entry of its build.

export {
  cancelDeadMutexWait,
  cancelMutexWait,
  endOwnTurn,
  makeDue,
  enqueueAtMutex,
  handOver,
  lock,
  parkMutex,
  pollMutex,
  releaseMutexForDeadOwner,
  relock,
  unlock,
  unrelock,
} from './mutex.ts';
