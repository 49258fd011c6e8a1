// piscina's interface over WorkerPool, as far as the two mean the same.
'use strict';
const { move, WorkerPool } = require('@sluice/worker-pool');
const { availableParallelism } = require('node:os');
const { isMainThread, workerData } = require('node:worker_threads');
const { version } = require('../package.json');

/** piscina's defaults. */
const DEFAULTS = {
  minThreads: Math.max(1, Math.floor(availableParallelism() / 2)),
  maxThreads: Math.ceil(1.5 * availableParallelism()),
  idleTimeout: 0,
  maxQueue: Infinity,
  concurrentTasksPerWorker: 1,
  closeTimeout: 30_000,
};
/** A pool of ours is made with a file. */
const NO_FILE = __filename;
const THREAD_OPTIONS = ['argv', 'env', 'execArgv', 'resourceLimits', 'trackUnmanagedFds', 'workerData', 'stdin', 'stdout', 'stderr'];
/** Marks what `move` of ours returns. */
const MOVED = Symbol.for('sluice.moved');

/** The fixtures are compiled: workers load JavaScript. */
const toJs = (filename) => (typeof filename === 'string' ? filename.replace(/\.ts$/, '.js') : filename);

/** Where one limit is given, the other one's default yields. Options that the prototype has do not count. */
function fill(given) {
  const options = Object.assign(Object.create(null), DEFAULTS, given);
  if (given.maxThreads !== undefined && given.minThreads === undefined) options.minThreads = Math.min(options.minThreads, given.maxThreads);
  if (given.minThreads !== undefined && given.maxThreads === undefined) options.maxThreads = Math.max(options.maxThreads, given.minThreads);
  if (given.maxQueue === 'auto') options.maxQueue = options.maxThreads ** 2;
  return options;
}

class Piscina extends WorkerPool {
  /** Errors that ended workers, and were told to a task. */
  #told = new WeakSet();
  #isFull = false;
  #start = performance.now();

  constructor(given = {}) {
    const options = fill(given);
    const { minThreads, maxThreads, idleTimeout, concurrentTasksPerWorker, maxQueue, atomics } = options;
    const threads = {};
    for (const key of THREAD_OPTIONS) if (Object.hasOwn(options, key)) threads[key] = options[key];
    super({
      ...threads,
      filename: toJs(Object.hasOwn(options, 'filename') ? (options.filename ?? NO_FILE) : NO_FILE),
      name: Object.hasOwn(options, 'name') ? options.name : 'default',
      minThreads,
      maxThreads,
      idleTimeout,
      concurrentTasksPerWorker,
      maxQueue: maxQueue === Infinity ? 2 ** 16 : maxQueue,
      // Blocked workers run one task at a time. Without messages between, `disabled` is as `async`.
      ...(atomics === undefined ? {} : { atomics: atomics === 'disabled' || concurrentTasksPerWorker > 1 ? 'async' : atomics }),
      abortGrace: 0,
    });
    this.options = options;
    this.hasFile = Object.hasOwn(options, 'filename') && options.filename !== null;
    this.on('workerStart', (worker) => this.emit('workerCreate', worker));
    this.on('workerExit', (worker, _exitCode, failure) => {
      this.emit('workerDestroy', worker);
      // The tasks of that worker reject after the event.
      if (failure !== undefined) setImmediate(() => this.#tell(failure));
    });
  }

  async run(task, given = {}) {
    if (typeof given !== 'object') return await super.run(task, given);
    const { transferList, signal, filename, name } = given;
    if (!this.hasFile && filename == null) throw new TypeError('filename must be provided to run() or in options object');
    const options = {};
    if (transferList !== undefined) options.transferList = transferList;
    if (filename != null) options.filename = toJs(filename);
    if (name != null) options.name = name;
    const settled = new AbortController();
    if (signal != null) options.signal = toSignal(signal, settled.signal);
    const [input, moved] = typeof task === 'object' && task !== null && MOVED in task ? [task.value, task.transferList] : [task, []];
    if (moved.length > 0) options.transferList = [...(transferList ?? []), ...moved];
    try {
      return await this.#begin(input, options);
    } catch (failure) {
      throw this.#translate(failure, signal);
    } finally {
      settled.abort();
    }
  }

  /** Where the queue has an end piscina refuses. */
  #begin(input, options) {
    const { maxQueue } = this.options;
    const running = maxQueue === Infinity ? super.run(input, options) : this.tryRun(input, options);
    if (running === undefined) throw new Error(maxQueue === 0 ? 'No task queue available and all Workers are busy' : 'Task queue is at limit');
    if (this.needsDrain && !this.#isFull) this.emit('needsDrain');
    this.#isFull = this.needsDrain;
    return running;
  }

  /** The same failure in piscina's words. */
  #translate(failure, signal) {
    if (signal != null && (signal.aborted || failure?.name === 'AbortError')) return aborted(signal.reason);
    if (failure?.code === 'SLUICE_POOL_CLOSED') return this.isDestroyed ? new Error('Terminating worker thread') : aborted('queue is being terminated');
    if (failure?.code !== 'SLUICE_WORKER_DIED') return failure;
    if (failure.cause === undefined) return new Error(`worker exited with code: ${failure.exitCode}`);
    this.#told.add(failure.cause);
    return failure.cause;
  }

  /** An error that ended a worker, and was told to no task. */
  #tell(failure) {
    if (!this.#told.has(failure) && this.listenerCount('error') > 0) this.emit('error', failure);
  }

  async close({ force = false } = {}) {
    const { closeTimeout } = this.options;
    const late = setTimeout(() => {
      this.isDestroyed = true;
      this.emit('error', new Error('Close operation timed out'));
    }, closeTimeout);
    await super.close({ force, timeout: closeTimeout });
    clearTimeout(late);
    this.emit('close');
  }

  async destroy() {
    this.isDestroyed = true;
    await super.destroy();
    this.emit('close');
  }

  get minThreads() {
    return this.options.minThreads;
  }

  get maxThreads() {
    return this.options.maxThreads;
  }

  get idleThreads() {
    const { workers, queued, waiting, running } = this.stats();
    return Math.max(0, workers - queued - waiting - running);
  }

  /** piscina gives tasks to workers before they have begun them: counts those beyond what its workers take. */
  get queueSize() {
    const { workers, queued, waiting, running } = this.stats();
    return Math.max(0, queued + waiting + running - workers * this.options.concurrentTasksPerWorker);
  }

  get completed() {
    return this.stats().completed + this.stats().failed;
  }

  get duration() {
    return performance.now() - this.#start;
  }

  get utilization() {
    return this.stats().utilization;
  }

  static get isWorkerThread() {
    return !isMainThread;
  }

  static get workerData() {
    return isMainThread ? undefined : workerData;
  }

  static get version() {
    return version;
  }

  static get Piscina() {
    return Piscina;
  }

  static move(value) {
    if (typeof value !== 'object' || value === null) return value;
    return move(value, [ArrayBuffer.isView(value) ? value.buffer : value]);
  }
}

/** piscina takes an emitter of `abort`, too. `until`: no longer. */
function toSignal(signal, until) {
  if (typeof signal !== 'object' || 'addEventListener' in signal) return signal;
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.once('abort', abort);
  until.addEventListener('abort', () => signal.off('abort', abort));
  return controller.signal;
}

function aborted(cause) {
  return Object.assign(new Error('The task has been aborted', { cause }), { name: 'AbortError' });
}

module.exports = Piscina;
Object.assign(module.exports, { default: Piscina, __esModule: true });
