// For the other @sluice packages only: the parts of a primitive that has a mutex in its block. Not a public API: it may
// change with every version.

export { createMutex, MUTEX_OPTIONS, type MutexOptions } from './create-mutex.ts';
export { MutexParts } from './mutex-parts.ts';
export { createMutexWithData, mutexAt } from './mutex.ts';
export { MUTEX, MUTEX_KERNEL, mutexSteps, type MutexSteps } from './kinds.ts';
export { isUnusedMutex } from './is-unused-mutex.ts';
export { MUTEX_TRAITS } from './turn-traits.ts';
export { type MutexReport } from './report.ts';
