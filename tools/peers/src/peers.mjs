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
 * @property {readonly (readonly [name: RegExp, reason: string])[]} notApplicable tests, as `file: name`, that cannot
 *   hold
 * @property {readonly (readonly [file: RegExp, name: string, reason: string, run: RegExp])[]} [leftOut] tests that
 *   would keep their file from ending; `run`: the others
 * @property {readonly (readonly [file: string, reason: string])[]} [notRun] files that test something else
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
      'abort-task',
      'async-context',
      'atomics-optimization',
      'generics',
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
      'ready-message',
      'simple-test',
      'stricter-fifo',
      'task-queue',
      'test-is-buffer-transferred',
      'test-resourcelimits',
      'test-uncaught-exception-from-handler',
      'thread-count',
    ].map((name) => `test/${name}.test.ts`),
    notApplicable: [
      [
        /abort-task.*will not share workers/,
        'a task with a signal may share its worker; the worker ends when its other tasks are done',
      ],
      [/async-context/, 'the pool creates no async resource for a task'],
      [
        /idle-timeout.*let go of threads early/,
        'expects a worker to be gone 100 ms after its last task, and the other one to run a task again: a busy machine takes longer',
      ],
      [/load-with-esm.*own property names/, 'compares the exact list of exports'],
      [
        /move-test.*(Marking an object|Using)/,
        "checks piscina's symbols for transferable objects; `move` takes a transferList instead",
      ],
      [
        /test-is-buffer-transferred.*implement transferable/,
        "uses piscina's symbols for transferable objects; `move` takes a transferList instead",
      ],
      [
        /option-validation.*(filename|name|minThreads|maxThreads|concurrentTasksPerWorker|idleTimeout|maxQueue|atomics).*(be |non-null)/,
        'compares the text of a message',
      ],
      [
        /test-is-buffer-transferred.*must be transferred/,
        'expects one worker to run both tasks; the pool has several, and any of them takes a task',
      ],
      [
        /option-validation.*(resourceLimits|trackUnmanagedFds) must/,
        'the pool passes the option to `Worker` unchecked',
      ],
      [/(option-validation|stricter-fifo).*(taskQueue|niceIncrement|stricterFIFO) must/, 'the pool has no such option'],
      [
        /pool\.test.*workerCreate/,
        'a task that is aborted before a worker has begun it ends no worker; and there is no loadBalancer',
      ],
      [/pool-close.*force/, 'expects two tasks to count as begun while their worker still starts'],
      [/post-task.*(validates|correct type)/, 'compares the text of a message'],
      [/task-queue.*custom task queue/, 'the pool has one queue, in FIFO order'],
      [/test-uncaught.*errors next task/, 'a task that the dying worker had not begun runs in the next worker'],
      [/thread-count.*conflicting/, 'compares the text of a message'],
    ],
    leftOut: [
      [
        /abort-task/,
        'while running; abortable posted first, second',
        'block the calling thread until the task has begun (a task with a SharedArrayBuffer begins when that event loop turns), or leave a task that never ends',
        /before running|on worker available|destroy workers|rejects task immediately|cleans up/,
      ],
      [
        /atomics-optimization/,
        'coverage test, enable async mode',
        'block the calling thread until the task has begun, as above',
        /avoids/,
      ],
      [
        /task-queue/,
        'both tests finish',
        'blocks the calling thread until the task has begun, as above',
        /^will|queueSize|both tests blocking|one test finishes|custom/,
      ],
    ],
    notRun: [
      ['console-log', "sets piscina's own environment variable"],
      ['fixed-queue, histogram, queues', "test piscina's internal classes"],
      ['nice', 'there is no niceIncrement'],
      ['workers', "tests piscina's loadBalancer"],
    ],
  },
];

/** Peers whose tarballs have no tests. */
export const withoutTests = [
  'p-limit',
  'p-queue',
  'p-map',
  'async-mutex',
  'async-sema',
  'async-lock',
  'semaphore-async-await',
  'tinypool',
  'workerpool',
  'multithreading',
  'poolifier',
  'rwlock',
  'async-rwlock',
  'threads',
];
