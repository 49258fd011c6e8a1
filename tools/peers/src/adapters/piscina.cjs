// piscina's interface over WorkerPool, as far as the two mean the same.
'use strict';
const { move, WorkerPool } = require('@sluice/worker-pool');
const { availableParallelism } = require('node:os');
const { isMainThread, workerData } = require('node:worker_threads');
const { version } = require('../package.json');

const AT_MOST = 1.5 * availableParallelism();
/** A pool of ours is made with a file. */
const NO_FILE = __filename;

/** The fixtures are compiled: workers load JavaScript. */
const toJs = (filename) => (typeof filename === 'string' ? filename.replace(/\.ts$/, '.js') : filename);

class Piscina extends WorkerPool {
  constructor(given = {}) {
    const { filename, name, minThreads, maxThreads = Math.ceil(AT_MOST), maxQueue = Infinity, concurrentTasksPerWorker = 1, ...rest } = given;
    const threads = {};
    for (const key of ['argv', 'env', 'execArgv', 'resourceLimits', 'trackUnmanagedFds', 'workerData', 'stdin', 'stdout', 'stderr']) {
      if (rest[key] !== undefined) threads[key] = rest[key];
    }
    super({
      ...threads,
      filename: toJs(filename) ?? NO_FILE,
      name: name ?? 'default',
      size: maxThreads,
      concurrentTasksPerWorker,
      maxQueue: maxQueue === 'auto' ? maxThreads ** 2 : Math.min(maxQueue, 2 ** 16),
      abortGrace: 0,
    });
    this.options = { minThreads: minThreads ?? 1, maxThreads, maxQueue: maxQueue === 'auto' ? maxThreads ** 2 : maxQueue, ...given };
    this.hasFile = filename != null;
  }

  async run(task, { transferList, signal, filename, name } = {}) {
    if (!this.hasFile && filename == null) throw new TypeError('filename must be provided to run() or in options object');
    const options = {};
    if (transferList !== undefined) options.transferList = transferList;
    if (signal != null) options.signal = signal;
    if (filename != null) options.filename = toJs(filename);
    if (name != null) options.name = name;
    return await super.run(task, options);
  }

  get completed() {
    return this.stats().completed + this.stats().failed;
  }

  get utilization() {
    return this.stats().utilization;
  }

  static get isWorkerThread() {
    return !isMainThread;
  }

  static get workerData() {
    return workerData;
  }

  static get version() {
    return version;
  }

  static get Piscina() {
    return Piscina;
  }

  static move(value) {
    return move(value, [ArrayBuffer.isView(value) ? value.buffer : value]);
  }
}

module.exports = Piscina;
Object.assign(module.exports, { default: Piscina, __esModule: true });
