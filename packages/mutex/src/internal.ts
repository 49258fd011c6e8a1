// For the other @sluice packages only: the parts of a primitive that has a mutex in its block. Not a public API: it may
// change with every version.

export { AnyMutex, createMutex, MUTEX_OPTIONS, type MutexOptions } from './any-mutex.ts';
export { MUTEX_KERNEL, mutexSteps, type MutexSteps } from './kinds.ts';
export { reportMutex, type MutexReport } from './report.ts';
