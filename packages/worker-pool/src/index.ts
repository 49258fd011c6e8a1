// The entry '@sluice/worker-pool'.

export { move, type TaskContext } from './worker/context.ts';
export {
  PoolClosedError,
  PoolError,
  TaskFileError,
  WorkerDiedError,
  WorkerFileError,
  type PoolErrorCode,
} from './api/errors.ts';
export type { InputOf, NamedTasks, OutputOf, TaskNames } from './calls/named-tasks.ts';
export type { WorkerPoolOptions } from './api/options.ts';
export type { CloseOptions, RunOptions } from './api/run-options.ts';
export type { PoolEvents, WorkerIdentity } from './api/events.ts';
export { WorkerPool } from './pool/worker-pool.ts';
export type { ScopeOptions } from './api/scope-options.ts';
export type { PoolStats, Times } from './api/stats.ts';
export type { StreamOptions } from './api/stream-options.ts';
export type { TaskScope } from './calls/task-scope.ts';
export type { TaskStream } from './calls/task-stream.ts';
