// Shows itself in a view: two workers in a deadlock, a worker that ended with a lock, a semaphore with a line, a
// capacitor with platoons, a mutex in turns, names that are not to be trusted. Then the main thread blocks, if it is told to.
import { Arena, CapacitorLock, Mutex, Semaphore, TtsLock } from 'sluice';
import { startView } from 'sluice/view';
import { argv, stdin } from 'node:process';
import { isMainThread, parentPort, threadId, Worker, workerData } from 'node:worker_threads';

const NAMES = /** @type {const} */ ([
  'accounts',
  'log',
  '<img src=x onerror="document.title=1">\u0007\u202E',
  'jobs',
  'turns',
]);

if (isMainThread) {
  const arena = Arena.create({ maxPages: 64 });
  const [accounts, log, hostile] = NAMES.slice(0, 3).map((name) => Mutex.create({ arena, name }));
  const jobs = Semaphore.create(2, { arena, name: 'jobs' });
  const turns = Mutex.create({ arena, name: 'turns' });
  const inner = TtsLock.create({ arena, name: 'inner' });
  const gate = CapacitorLock.create(inner, { arena, name: 'platoons', bypassLimit: 2 });
  const handles = { accounts, log, hostile, jobs, turns, gate, inner };
  const data = Object.fromEntries(Object.entries(handles).map(([key, each]) => [key, each?.handle]));
  const view = startView(arena);
  console.log(view.url);
  turns.lock();
  gate.lock();
  const start = (/** @type {string} */ job) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...data, job }, name: job });
    worker.on('error', (failure) => console.error(failure));
    return new Promise((resolve) => worker.once('message', resolve));
  };
  jobs.acquire(2);
  await Promise.all([start('left'), start('right'), start('dies'), ...['a', 'b', 'c'].map(() => start('jobs'))]);
  await Promise.all(['d', 'e', 'f'].map(() => start('gate')));
  await Promise.all([start('turns'), start('turns')]);
  void jobs.acquireAsync();
  if (argv.includes('--blocks')) {
    console.log('blocks');
    Semaphore.create(0, { arena, name: 'never' }).acquire();
  }
  stdin.once('data', () => process.exit(0));
} else {
  const { job, accounts, log, hostile, jobs, turns, gate, inner } = workerData;
  const lock = (/** @type {any} */ handle) => Mutex.from(handle).lock();
  const tell = () => parentPort?.postMessage(threadId);
  const other = new Int32Array(new SharedArrayBuffer(4));
  if (job === 'left') {
    lock(accounts);
    tell();
    Atomics.wait(other, 0, 0, 300);
    lock(log);
  }
  if (job === 'right') {
    lock(log);
    tell();
    Atomics.wait(other, 0, 0, 300);
    lock(accounts);
  }
  if (job === 'dies') {
    lock(hostile);
    tell();
    process.exit(0);
  }
  if (job === 'jobs') {
    tell();
    Semaphore.from(jobs).acquire();
  }
  if (job === 'gate') {
    tell();
    CapacitorLock.from(gate, TtsLock.from(inner)).lock();
  }
  if (job === 'turns') {
    tell();
    lock(turns);
  }
}
