export { HeldLock, type LockMode } from './held-lock.ts';
export { KeyLock } from './key-lock.ts';
export { KeyedMutex, type AfterDeath, type KeyedMutexHandle, type KeyedMutexOptions } from './keyed-mutex.ts';
export { listNamed, type NamedReport } from './list.ts';
export { findNamed, forgetNamed, freeNamed, named, namedAsync } from './named.ts';
export type { CreatableKind, Nameable, NamedKind, NamedOptions } from './named-kind.ts';
export type { KeyedMutexReport, KeyReport } from './report.ts';
export {
  LockManager,
  type LockInfo,
  type LockManagerHandle,
  type LockManagerOptions,
  type LockManagerSnapshot,
} from './lock-manager.ts';
export type { LockCallback, LockOrNullCallback, LockRequestOptions } from './lock-request.ts';
