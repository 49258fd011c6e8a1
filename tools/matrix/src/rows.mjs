// @ts-check
// The rows of the matrix: what a runtime has to do. Each is one run of a case.

/** @typedef {import('../../cases/src/tools.ts').Ending} Ending */

/**
 * @typedef {object} Row
 * @property {string} id for the command line
 * @property {string} title
 * @property {string} case
 * @property {readonly Ending[]} [endings]
 * @property {boolean} [threadsOnly] not with web workers
 */

/** @type {readonly Row[]} */
export const ROWS = [
  { id: 'semaphore', title: 'Semaphore', case: 'semaphore' },
  { id: 'mutex', title: 'Mutex, both orders; RecursiveMutex', case: 'mutex' },
  { id: 'locks', title: 'The five locks of `@sluice/classics`', case: 'locks' },
  { id: 'semaphores', title: 'The semaphores of `@sluice/classics`', case: 'semaphores' },
  { id: 'priority', title: 'PrioritySemaphore: priorities', case: 'priority' },
  { id: 'resizable', title: 'ResizableSemaphore: sizes, cancel', case: 'resizable' },
  { id: 'capacitor', title: 'Capacitor, lanes, turnstile', case: 'capacitor' },
  { id: 'rw-lock', title: 'RwLock: readers, writers, upgrades', case: 'rw-lock' },
  { id: 'seq-lock', title: 'SeqLock', case: 'seq-lock' },
  { id: 'condition', title: 'Condition of each lock', case: 'condition' },
  { id: 'signals', title: 'AutoResetEvent, wait on an address', case: 'signals' },
  { id: 'once', title: 'ManualResetEvent, Once, Lazy', case: 'once' },
  { id: 'barrier', title: 'Barrier, CountdownLatch, EventCount, Sequencer', case: 'barrier' },
  { id: 'values', title: 'WatchCell, Broadcast', case: 'values' },
  { id: 'names', title: 'Names, keyed mutex, lock manager', case: 'names' },
  { id: 'buffer', title: 'Bounded buffer: each codec, in place', case: 'buffer' },
  { id: 'msgpack', title: 'Bounded buffer: msgpack', case: 'msgpack' },
  { id: 'streams', title: 'Bounded buffer: streams of the web', case: 'streams' },
  { id: 'select', title: 'The first of several: select', case: 'select' },
  { id: 'limit', title: 'Limit', case: 'limit' },
  { id: 'interval', title: 'Limit with an interval', case: 'interval' },
  { id: 'task-queue', title: 'Queue of tasks', case: 'task-queue' },
  { id: 'rate-limit', title: 'Rate limiter', case: 'rate-limit' },
  { id: 'giving-up', title: 'Timeouts, aborts, close', case: 'giving-up' },
  { id: 'growth', title: "The arena's memory grows", case: 'growth' },
  { id: 'copies', title: 'Two copies in one thread', case: 'copies' },
  { id: 'kills-idle', title: 'Recovery: an idle worker is terminated', case: 'kills', endings: ['is idle'] },
  { id: 'kills-blocked', title: 'Recovery: a blocked worker is terminated', case: 'kills', endings: ['sleeps'] },
  { id: 'kills-computing', title: 'Recovery: a computing worker is terminated', case: 'kills', endings: ['computes'] },
  { id: 'kills-exit', title: 'Recovery: `process.exit` in a worker', case: 'kills', endings: ['exits'] },
  { id: 'kills-error', title: 'Recovery: an uncaught error in a worker', case: 'kills', endings: ['throws'] },
  { id: 'pool', title: 'Worker pool', case: 'pool', threadsOnly: true },
];
