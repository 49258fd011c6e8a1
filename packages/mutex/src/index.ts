export type { MutexOptions, MutexOrder } from './any-mutex.ts';
export { Mutex, type MutexHandle } from './mutex.ts';
export { RecursiveMutex, type RecursiveMutexHandle } from './recursive-mutex.ts';
export type { Consistency, MutexReport } from './report.ts';
