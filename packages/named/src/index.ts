export { HeldLock, type LockMode } from './held-lock.ts';
export { KeyLimit } from './key-limit.ts';
export { KeyLock } from './key-lock.ts';
export { KeyRate } from './one-key-rate.ts';
export type { RateAnswer } from './rate-buckets.ts';
export { KeyedLimit } from './keyed-limit.ts';
export { KeyedMutex, type AfterDeath, type KeyedMutexHandle, type KeyedMutexOptions } from './keyed-mutex.ts';
export { KeyedRateLimiter } from './keyed-rate-limiter.ts';
export { listNamed, type NamedReport } from './list.ts';
export { findNamed, forgetNamed, freeNamed, named, namedAsync } from './find-or-create.ts';
export type { CreatableKind, Nameable, NamedKind, NamedOptions } from './named-kind.ts';
export type { KeyedRateLimiterHandle, KeyedRateLimiterOptions } from './rate-table.ts';
export type { KeyRateReport, KeyedRateLimiterReport } from './rate-report.ts';
export type { KeyedMutexReport, KeyReport } from './report.ts';
export type { KeyLimitReport, KeyedLimitReport } from './slot-report.ts';
export type { KeyedLimitHandle, KeyedLimitOptions } from './limit-table.ts';
export {
  LockManager,
  type LockInfo,
  type LockManagerHandle,
  type LockManagerOptions,
  type LockManagerSnapshot,
} from './lock-manager.ts';
export type { LockCallback, LockOrNullCallback, LockRequestOptions } from './lock-request.ts';
