// @ts-check
// Shows itself in a view: two workers in a deadlock, a worker that ended with a lock, a semaphore with a line, a
// capacitor with platoons, a mutex in turns, and a name that is not to be trusted. Prints the URL. With --blocks, the
// main thread then blocks for ever. Otherwise a line on stdin frees the semaphore's line, and the next one ends the
// program.
import { Arena, CapacitorLock, Mutex, Semaphore, TtsLock } from 'sluice';
import { startView } from 'sluice/view';
import { once } from 'node:events';
import { argv, stdin } from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** @typedef {keyof typeof JOBS} Job */
/** @typedef {import('sluice').MutexHandle} MutexHandle */

/**
 * The handles and the job of a worker.
 * @type {Record<'accounts' | 'log' | 'hostile' | 'turns', MutexHandle> & {
 *   jobs: import('sluice').SemaphoreHandle,
 *   gate: import('sluice').CapacitorLockHandle,
 *   inner: import('sluice').TtsLockHandle,
 *   job: Job,
 * }}
 */
const data = workerData;

/** What the workers do. Each tells that it is there before it waits. */
const JOBS = {
  left: () => lockBoth('accounts', 'log'),
  right: () => lockBoth('log', 'accounts'),
  dies: () => {
    Mutex.from(data.hostile).lock();
    tell();
    process.exit(0);
  },
  waits: () => {
    tell();
    Semaphore.from(data.jobs).acquire();
  },
  enters: () => {
    tell();
    CapacitorLock.from(data.gate, TtsLock.from(data.inner)).lock();
  },
  turns: () => {
    tell();
    Mutex.from(data.turns).lock();
  },
};

/** @param {'accounts' | 'log'} first @param {'accounts' | 'log'} second */
function lockBoth(first, second) {
  Mutex.from(data[first]).lock();
  tell();
  // Until the other one has its lock, too.
  while (Mutex.from(data[second]).inspect().owner === 0);
  Mutex.from(data[second]).lock();
}

function tell() {
  parentPort?.postMessage('there');
}

async function main() {
  const arena = Arena.create({ maxPages: 64 });
  const mutex = (/** @type {string} */ name) => Mutex.create({ arena, name });
  const jobs = Semaphore.create(2, { arena, name: 'jobs' });
  const turns = mutex('turns');
  const inner = TtsLock.create({ arena, name: 'inner' });
  const gate = CapacitorLock.create(inner, { arena, name: 'platoons', bypassLimit: 2 });
  const handles = {
    accounts: mutex('accounts').handle,
    log: mutex('log').handle,
    hostile: mutex('<img src=x onerror="document.title=1">\u0007\u202E').handle,
    jobs: jobs.handle,
    turns: turns.handle,
    gate: gate.handle,
    inner: inner.handle,
  };
  console.log(startView(arena).url);
  turns.lock();
  gate.lock();
  jobs.acquire(2);
  const start = async (/** @type {Job} */ job) => {
    await once(new Worker(new URL(import.meta.url), { workerData: { ...handles, job }, name: job }), 'message');
  };
  /** @type {Job[]} */
  const all = ['left', 'right', 'dies', 'waits', 'waits', 'waits', 'enters', 'enters', 'enters', 'turns', 'turns'];
  await Promise.all(all.map(start));
  if (argv.includes('--blocks')) Semaphore.create(0, { arena, name: 'never' }).acquire();
  await once(stdin, 'data');
  jobs.release(2);
  await once(stdin, 'data');
  process.exit(0);
}

if (isMainThread) void main();
else JOBS[data.job]();
