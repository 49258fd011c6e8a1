// The errors of a pool, as opposed to those that tasks throw. Distinguish them by `code`.

import { isError, messageOf } from '@sluice/core/calls';

export type PoolErrorCode = 'SLUICE_WORKER_DIED' | 'SLUICE_TASK_FILE' | 'SLUICE_POOL_CLOSED' | 'SLUICE_WORKER_FILE';

/** A failure of the pool itself. What a task throws is not a `PoolError`. */
export class PoolError extends Error {
  readonly code: PoolErrorCode;
  // A field, because it is defined. An assignment would fail if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(code: PoolErrorCode, name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = name;
  }
}

/**
 * The worker ended while it ran the task, so the task may have run in part. `cause`: the error that ended the worker,
 * if there was one.
 */
export class WorkerDiedError extends PoolError {
  declare readonly code: 'SLUICE_WORKER_DIED';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super('SLUICE_WORKER_DIED', 'WorkerDiedError', message, options);
    this.exitCode = exitCode;
  }
}

/**
 * The task's file cannot be loaded, or does not export the function. The task did not run. `cause`: the error of the
 * load, if there was one.
 */
export class TaskFileError extends PoolError {
  declare readonly code: 'SLUICE_TASK_FILE';

  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_TASK_FILE', 'TaskFileError', message, options);
  }
}

/**
 * The file that the pool's workers run, or one of its imports, cannot be found. No task ran. The message says what to
 * do. `cause`: the error that ended the worker.
 */
export class WorkerFileError extends PoolError {
  declare readonly code: 'SLUICE_WORKER_FILE';

  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_WORKER_FILE', 'WorkerFileError', message, options);
  }
}

/** The pool was closed or destroyed, or has failed (`cause`). The task did not run, or not to its end. */
export class PoolClosedError extends PoolError {
  declare readonly code: 'SLUICE_POOL_CLOSED';

  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_POOL_CLOSED', 'PoolClosedError', message, options);
  }
}

/**
 * Creates the error of a task whose worker ended. `worker` and `label` name the worker and the task. `failure`: the
 * error that ended the worker, if any.
 */
export function diedUnder(worker: string, exitCode: number, failure: unknown, label: string): WorkerDiedError {
  const how = isError(failure) ? `: ${messageOf(failure)}` : '';
  const options = failure === undefined ? {} : { cause: failure };
  const task = label.charAt(0).toLowerCase() + label.slice(1);
  return new WorkerDiedError(
    `The worker ended with exit code ${exitCode} while it ran ${task} (${worker})${how}.`,
    exitCode,
    options,
  );
}

/** Creates the error of a pool whose workers end before they begin a task. `failure`: the error of the last worker. */
export function workersEndUnused(failure: unknown): PoolClosedError {
  const last = isError(failure) ? `: ${messageOf(failure).replace(/\.$/, '')}` : '';
  return new PoolClosedError(
    `The pool has failed and runs no more tasks: its workers end before they begin a task${last}.`,
    { cause: failure },
  );
}

/** Creates the error for a `workerUrl` at which there is no file. */
export function noWorkerFile(path: string): WorkerFileError {
  return new WorkerFileError(
    `There is no file at '${path}', the value of the option workerUrl. Give the path of the built '@sluice/worker-pool/worker'.`,
  );
}

declare module '@sluice/core' {
  // Makes the errors known to `hasCode`.
  interface ErrorsByCode {
    SLUICE_WORKER_DIED: WorkerDiedError;
    SLUICE_TASK_FILE: TaskFileError;
    SLUICE_POOL_CLOSED: PoolClosedError;
    SLUICE_WORKER_FILE: WorkerFileError;
  }
}
