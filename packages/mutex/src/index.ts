export { Condition, type ConditionHandle, type ConditionOptions } from './condition/condition.ts';
export type { ConditionLock } from './condition/lock-of.ts';
export type { ConditionReport } from './condition/report.ts';
export type { MutexOptions, MutexOrder } from './create-mutex.ts';
export { Mutex, type MutexHandle } from './mutex.ts';
export { RecursiveMutex, type RecursiveMutexHandle } from './recursive-mutex.ts';
export type { Consistency, MutexReport } from './report.ts';
