// @ts-check
// The peers, and which of their tests cannot hold here.

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} version
 * @property {string} ours what its interface stands on here
 * @property {Record<string, string>} adapters its files that are replaced, and by which of `adapters/`
 * @property {string} [compiled] a folder of TypeScript that workers load
 * @property {'mocha' | 'tape' | 'node'} runner
 * @property {string[]} files
 * @property {readonly (readonly [name: RegExp, reason: string])[]} notApplicable tests, as `file: name`, that cannot hold
 * @property {readonly (readonly [file: string, reason: string])[]} [notRun] files that would not end, or test something else
 */

/** @type {Peer[]} */
export const peers = [
  {
    name: 'await-semaphore',
    version: '0.1.3',
    ours: 'Semaphore',
    adapters: { 'index.js': 'await-semaphore.cjs' },
    runner: 'mocha',
    files: ['test.js'],
    notApplicable: [],
  },
  {
    name: 'semaphore',
    version: '1.1.0',
    ours: 'Semaphore',
    adapters: { 'lib/semaphore.js': 'semaphore.cjs' },
    runner: 'mocha',
    files: ['test/semaphore.js'],
    notApplicable: [],
  },
  {
    name: 'mutexify',
    version: '1.4.0',
    ours: 'Mutex',
    adapters: { 'index.js': 'mutexify.cjs', 'promise.js': 'mutexify-promise.cjs' },
    runner: 'tape',
    files: ['test.js'],
    notApplicable: [],
  },
  {
    name: 'piscina',
    version: '5.3.2',
    ours: 'WorkerPool',
    adapters: { 'dist/main.js': 'piscina.cjs', 'dist/index.js': 'piscina.cjs' },
    compiled: 'test/fixtures',
    runner: 'node',
    files: [
      'async-context',
      'idle-timeout',
      'issue-513',
      'load-with-esm',
      'messages',
      'move-test',
      'option-validation',
      'pool',
      'pool-close',
      'pool-destroy',
      'post-task',
      'simple-test',
      'test-is-buffer-transferred',
      'test-resourcelimits',
      'test-uncaught-exception-from-handler',
      'thread-count',
    ].map((name) => `test/${name}.test.ts`),
    notApplicable: [
      [/async-context/, 'tasks make no async resource of their own'],
      [/idle-timeout|thread-count/, 'workers do not come and go with the load: all start at once, and there is no minThreads'],
      [/load-with-esm.*own property names/, 'compares the exact list of exports'],
      [/move-test/, "`move` takes a list of what is handed over, and its value is no piscina Transferable"],
      [/test-is-buffer-transferred/, "piscina's symbols for transferable objects are not known"],
      [/option-validation/, 'compares the texts of messages, and options that the pool does not have'],
      [/pool\.test.*workerCreate/, 'the events are workerStart and workerExit, and come when a worker is ready'],
      [/pool-close/, 'there is no event `close`, and `close` takes no options'],
      [/test-uncaught-exception/, 'waits for the event `error`: an error that ends a worker comes with workerExit'],
      [/test-resourcelimits/, 'compares the text of a message'],
      [/post-task.*needsDrain/, 'there is no needsDrain: `run` waits in line'],
      [/post-task.*(max|min)Threads should return/, 'there are no properties minThreads and maxThreads'],
      [/passing execArgv/, 'execArgv replaces that of the process'],
    ],
    notRun: [
      ['abort-task', 'blocks its thread until the task has begun: a task with shared memory goes as a message, which needs that event loop'],
      ['atomics-optimization', 'the same'],
      ['console-log', "sets piscina's own environment variable"],
      ['fixed-queue, histogram, queues, task-queue, workers', "test piscina's inside"],
      ['generics', 'types only'],
      ['nice', 'no niceIncrement'],
      ['ready-message, stricter-fifo', "test piscina's messages and its own choice of workers"],
    ],
  },
];

/** Peers whose tarballs have no tests. */
export const withoutTests = ['p-limit', 'p-queue', 'p-map', 'async-mutex', 'async-sema', 'async-lock', 'semaphore-async-await', 'tinypool', 'workerpool', 'multithreading', 'poolifier', 'rwlock', 'async-rwlock', 'threads'];
