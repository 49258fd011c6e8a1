// What `@sluice/worker-pool` exports.

export { move, type TaskContext } from './context.ts';
export { PoolClosedError, PoolError, TaskFileError, WorkerDiedError, WorkerFileError, type PoolErrorCode } from './errors.ts';
export type { RunOptions, WorkerPoolOptions } from './options.ts';
export type { PoolEvents } from './events.ts';
export { WorkerPool } from './pool.ts';
export type { PoolStats, Times } from './stats.ts';
