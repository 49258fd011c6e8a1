export { Arena, type ArenaOptions } from './arena/arena.ts';
export type { ArenaHandle, PrimitiveHandle, SharedMemory } from './memory/handle.ts';
export { spawn, type SpawnedWorker, type SpawnOptions } from './workers/spawn.ts';
export type { WorkerUrl } from './workers/start-worker.ts';
export { Region, type RegionHandle, type RegionOptions } from './primitive/region.ts';
export type { DeadlockedAgent } from './report/deadlock.ts';
export type { LostLock, ReclaimReport, RestoredPermits } from './recovery/reclaim-report.ts';
export type { AgentReport, Holding, Waiting } from './report/report-agents.ts';
export type { AgentIdentity } from './agent/identity.ts';
export type { AgentLife } from './report/agent-life.ts';
export type { AgentRuntime } from './platform/thread.ts';
export type { ArenaReport, BlockReport } from './report/arena-report.ts';
export type { ThreadWorker, Watch, WatchedWorker, WatchOptions, WebWorker } from './recovery/watch.ts';
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
} from './api/errors.ts';
export { hasCode, type ErrorsByCode, type ErrorWithCode } from './api/has-code.ts';
export { OwnerDiedError } from './api/owner-died.ts';
export type { Engine, JsEngine, KernelModules } from './kernel/kernel.ts';
export { Guard } from './api/guard.ts';
export { Holdable, type AsyncLock, type Lock } from './api/lock.ts';
export type { WaitOptions } from './api/wait-options.ts';
export type { DoneOnReturn, NotPromise, UseRunAsync } from './api/not-promise.ts';
export { RecoveryGuard, type OwnerDiedOptions, type Inheritable, type RunOptions } from './api/owner-died.ts';
export type { Entrance, LockErrors } from './locks/entrance.ts';
export {
  holdAll,
  holdAllAsync,
  runAll,
  runAllAsync,
  tryHoldAll,
  type RunAllAsyncOptions,
  type RunAllOptions,
} from './locks/hold-all.ts';
export type { PlacedLock } from './locks/hold-order.ts';
export { OwnedLock } from './locks/owned-lock.ts';
export type { LockHealth } from './memory/lock-health.ts';
export { DEFAULT_POLICY, type WaitingPolicy } from './api/waiting-policy.ts';
export { Semaphore, type SemaphoreHandle } from './semaphore/semaphore.ts';
export type { SemaphoreOptions } from './semaphore/options.ts';
export type { Holder, SemaphoreReport, Waiter } from './report/semaphore-report.ts';
