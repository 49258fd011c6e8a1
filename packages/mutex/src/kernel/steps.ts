// Every step that the mutex's WebAssembly kernel exports: the entry of its build.

export {
  cancelDeadMutexWait,
  cancelMutexWait,
  enqueueAtMutex,
  handOver,
  lock,
  pollMutex,
  releaseMutexForDeadOwner,
  relock,
  unlock,
  unrelock,
} from './mutex.ts';
