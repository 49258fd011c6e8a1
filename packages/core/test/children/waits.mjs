// @ts-check
// A process that waits. Its output and its exit code show whether the wait kept it alive. The releases below run on
// unreferenced timers, so they come only if a wait keeps the process alive.
import { Arena, Semaphore } from '@sluice/core';
import { Worker } from 'node:worker_threads';

const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 2 }) });

/** @param {() => void} action */
const soon = (action) => setTimeout(action, 30).unref();

/** Runs only if something else keeps the process alive. @param {() => void} action */
const muchLater = (action) => setTimeout(action, 60_000).unref();

/** @param {string} what */
const say = (what) => process.stdout.write(`${what}\n`);

/** @param {unknown} error */
const sayName = (error) => say(/** @type {Error} */ (error).name);

/** @type {Record<string, () => unknown>} */
const cases = {
  'nothing waits': () => sem.tryAcquire(),

  async 'a wait is granted later'() {
    soon(() => sem.release());
    await sem.acquireAsync();
    say('granted');
  },

  async 'an unreferenced wait'() {
    muchLater(() => sem.release());
    await sem.acquireAsync(1, { ref: false });
    say('granted');
  },

  'an unreferenced wait without an await': () => {
    muchLater(() => sem.release());
    void sem.acquireAsync(1, { ref: false }).then(() => say('granted'));
  },

  async 'a wait times out'() {
    await sem.acquireAsync(1, { timeout: 30 }).catch(sayName);
  },

  async 'an unreferenced wait with a timeout'() {
    await sem.acquireAsync(1, { timeout: 60_000, ref: false }).catch(sayName);
  },

  async 'a wait is aborted by a timeout signal'() {
    await sem.acquireAsync(1, { signal: AbortSignal.timeout(30) }).catch(sayName);
  },

  async 'a referenced and an unreferenced wait'() {
    void sem.acquireAsync(1, { timeout: 60_000, ref: false }).then(
      () => say('first granted'),
      () => undefined,
    );
    soon(() => sem.release(2));
    await sem.acquireAsync();
    say('second granted');
  },

  'a wait ends while an unreferenced wait continues': async () => {
    void sem.acquireAsync(1, { ref: false }).then(() => say('never'));
    await sem.acquireAsync(1, { timeout: 20 }).catch(sayName);
  },

  async 'a closed semaphore'() {
    soon(() => sem.close());
    await sem.acquireAsync().catch(sayName);
  },

  async 'a worker waits'() {
    const worker = new Worker(new URL('./waiting-worker.mjs', import.meta.url), { workerData: sem.handle });
    worker.once('message', () => sem.release());
    worker.on('message', say);
    await new Promise((resolve) => worker.once('exit', resolve));
  },

  'a blocking wait ends by its timeout': () => say(String(sem.tryAcquire(1, 30))),
};

await cases[process.argv[2] ?? '']?.();
