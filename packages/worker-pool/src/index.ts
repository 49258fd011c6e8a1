// The entry '@sluice/worker-pool'.

export { move, type TaskContext } from './context.ts';
export {
  PoolClosedError,
  PoolError,
  TaskFileError,
  WorkerDiedError,
  WorkerFileError,
  type PoolErrorCode,
} from './errors.ts';
export type { InputOf, NamedTasks, OutputOf, TaskNames } from './named-tasks.ts';
export type { WorkerPoolOptions } from './options.ts';
export type { CloseOptions, RunOptions } from './run-options.ts';
export type { PoolEvents, WorkerIdentity } from './events.ts';
export { WorkerPool } from './pool.ts';
export type { ScopeOptions } from './scope-options.ts';
export type { PoolStats, Times } from './stats.ts';
export type { StreamOptions } from './stream-options.ts';
export type { TaskScope } from './task-scope.ts';
export type { TaskStream } from './task-stream.ts';
