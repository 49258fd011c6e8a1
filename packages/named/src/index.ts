export { HeldLock, type LockMode } from './web-locks/held-lock.ts';
export { KeyLimit } from './limits/key-limit.ts';
export { KeyLock } from './mutexes/key-lock.ts';
export { KeyRate } from './rates/key-rate.ts';
export type { RateAnswer } from './rates/key-rates.ts';
export { KeyedLimit } from './limits/keyed-limit.ts';
export { KeyedMutex, type AfterDeath, type KeyedMutexHandle, type KeyedMutexOptions } from './mutexes/keyed-mutex.ts';
export { KeyedRateLimiter } from './rates/keyed-rate-limiter.ts';
export { listNamed, type NamedReport } from './names/list.ts';
export { findNamed, forgetNamed, freeNamed, named, namedAsync } from './names/find-or-create.ts';
export type { CreatableKind, Nameable, NamedKind, NamedOptions } from './names/named-kind.ts';
export type { KeyedRateLimiterHandle, KeyedRateLimiterOptions } from './rates/rate-table.ts';
export type { KeyRateReport, KeyedRateLimiterReport } from './rates/rate-report.ts';
export type { KeyedMutexReport, KeyReport } from './mutexes/report.ts';
export type { KeyLimitReport, KeyedLimitReport } from './limits/slot-report.ts';
export type { KeyedLimitHandle, KeyedLimitOptions } from './limits/limit-table.ts';
export {
  LockManager,
  type LockInfo,
  type LockManagerHandle,
  type LockManagerOptions,
  type LockManagerSnapshot,
} from './web-locks/lock-manager.ts';
export type { LockCallback, LockOrNullCallback, LockRequestOptions } from './web-locks/lock-request.ts';
