// @ts-check
// The peers, and which of their tests cannot hold here.

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} version
 * @property {string} ours what its interface stands on here
 * @property {Record<string, string>} adapters its files that are replaced, and by which of `adapters/`
 * @property {'mocha' | 'tape' | 'node'} runner
 * @property {string[]} files
 * @property {readonly (readonly [name: RegExp, reason: string])[]} notApplicable
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
    runner: 'node',
    files: [
      'abort-task',
      'async-context',
      'atomics-optimization',
      'console-log',
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
    notApplicable: [],
  },
];

/** Peers whose tarballs have no tests. */
export const withoutTests = ['p-limit', 'p-queue', 'p-map', 'async-mutex', 'async-sema', 'async-lock', 'semaphore-async-await', 'tinypool', 'workerpool', 'multithreading', 'poolifier', 'rwlock', 'async-rwlock', 'threads'];
