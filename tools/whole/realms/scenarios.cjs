// @ts-check
// Programs for the sandbox of a test runner. Each scenario returns the values that it saw, and the values that it
// should have seen. CommonJS, so that Jest loads it.

/**
 * @typedef {object} Packages
 * @property {typeof import('@sluice/core')} core
 * @property {typeof import('@sluice/bounded-buffer')} buffers
 * @property {typeof import('@sluice/limit')} limits
 * @property {typeof import('@sluice/mutex')} mutexes
 * @property {typeof import('@sluice/worker-pool')} pools
 * @property {typeof import('node:worker_threads')} threads
 * @property {typeof import('node:buffer')} bytes
 * @property {string} tasks
 */

/**
 * @typedef {readonly [name: string, play: (packages: Packages) => Promise<readonly [saw: unknown, right: unknown]>]}
 *   Scenario
 */

/** @param {Packages['threads']} threads @param {unknown} value */
function clone({ MessageChannel, receiveMessageOnPort }, value) {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const received = receiveMessageOnPort(port2);
  port1.close();
  return /** @type {{ readonly message: any }} */ (received).message;
}

/** @param {Promise<unknown>} promise @returns {Promise<any>} */
const failureOf = (promise) =>
  promise.then(
    () => undefined,
    (failure) => failure,
  );

/**
 * @param {Packages} packages
 * @param {(pool: import('@sluice/worker-pool').WorkerPool) => Promise<readonly [unknown, unknown]>} body
 */
async function withPool({ pools: { WorkerPool }, tasks }, body) {
  const pool = new WorkerPool({ filename: tasks, size: 1 });
  const outcome = await body(pool);
  await pool.close();
  return outcome;
}

/** @type {readonly Scenario[]} */
const SCENARIOS = [
  [
    'a handle that arrived in a message opens',
    async ({ core: { Semaphore }, threads }) => [
      Semaphore.from(clone(threads, Semaphore.create(3).handle)).available,
      3,
    ],
  ],
  [
    'a lock and a limit hold',
    async ({ mutexes: { Mutex }, limits: { createLimit } }) => {
      const mutex = Mutex.create();
      const results = await createLimit(2).map([1, 2, 3], (n) => mutex.runAsync(async () => n * n));
      return [results.join(), '1,4,9'];
    },
  ],
  [
    'an error of a task keeps its name, code and class',
    (packages) =>
      withPool(packages, async (pool) => {
        const [own, builtIn] = [await failureOf(pool.run('own')), await failureOf(pool.run('builtIn'))];
        return [
          [own.name, own.code, own instanceof Error, own.cause.message, builtIn instanceof TypeError].join(),
          'Mine,EMINE,true,behind,true',
        ];
      }),
  ],
  [
    'an error of the pool has its class and code',
    (packages) =>
      withPool(packages, async (pool) => {
        const failure = await failureOf(pool.run(1, { name: 'nowhere' }));
        return [
          [
            failure.code,
            failure instanceof packages.pools.TaskFileError,
            packages.core.hasCode(failure, 'SLUICE_TASK_FILE'),
          ].join(),
          'SLUICE_TASK_FILE,true,true',
        ];
      }),
  ],
  [
    'a Buffer is bytes',
    async ({ buffers: { BoundedBuffer }, bytes: { Buffer } }) => {
      const buffer = BoundedBuffer.create({ codec: 'bytes' });
      buffer.push(Buffer.from([7]));
      return [buffer.pop()[0], 7];
    },
  ],
  [
    'a task with an object runs, and close ends',
    (packages) => withPool(packages, async (pool) => [await pool.run({ a: 1 }), 1]),
  ],
  [
    'timeouts and aborts end waits with their errors',
    async ({ core: { hasCode, Semaphore } }) => {
      const permits = Semaphore.create(0);
      const late = await failureOf(permits.acquireAsync(1, { timeout: 1 }));
      const controller = new AbortController();
      const aborted = failureOf(permits.acquireAsync(1, { signal: controller.signal }));
      controller.abort('enough');
      return [[hasCode(late, 'SLUICE_TIMEOUT'), await aborted].join(), 'true,enough'];
    },
  ],
];

module.exports = { SCENARIOS };
