export { Arena, type ArenaOptions } from './arena/arena.ts';
export type { ArenaHandle, PrimitiveHandle, SharedMemory } from './arena/handle.ts';
export { Region, type RegionHandle, type RegionOptions } from './arena/region.ts';
export type { DeadlockedAgent } from './arena/deadlock.ts';
export type { LostLock, ReclaimReport, RestoredPermits } from './arena/reclaim-report.ts';
export type { AgentReport, Holding, Waiting } from './arena/report-agents.ts';
export type { ArenaReport, BlockReport } from './arena/report.ts';
export type { ThreadWorker, Watch, WatchedWorker, WatchOptions, WebWorker } from './arena/watch.ts';
export {
  ArenaFullError,
  BrokenBarrierError,
  CancelledError,
  ClosedError,
  CorruptArenaError,
  DeadlockError,
  HandleError,
  MisuseError,
  SluiceError,
  TimeoutError,
  UnsupportedError,
  type SluiceErrorCode,
} from './errors.ts';
export { hasCode, type ErrorsByCode, type ErrorWithCode } from './has-code.ts';
export { OwnerDiedError } from './owner-died.ts';
export type { Engine, JsEngine, KernelModules } from './kernel/kernel.ts';
export { Guard, Holdable, type AsyncLock, type Lock } from './lock.ts';
export { type WaitOptions } from './wait-options.ts';
export type { NotPromise, UseRunAsync } from './not-promise.ts';
export { RecoveryGuard, type OwnerDiedOptions, type Inheritable, type RunOptions } from './owner-died.ts';
export { OwnedLock } from './owned-lock.ts';
export type { LockHealth } from './lock-health.ts';
export { DEFAULT_POLICY, type WaitingPolicy } from './policy.ts';
export { Semaphore, type SemaphoreHandle } from './semaphore.ts';
export type { SemaphoreOptions } from './semaphore/options.ts';
export type { Holder, SemaphoreReport, Waiter } from './semaphore/report.ts';
