// @ts-check
// The process of one test file in one scope. Its main thread is the window, or the parent of the worker that the file
// runs in.
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { runFile } from './harness.mjs';
import { createLocks } from './locks.mjs';

/** @import { Scope } from './files.mjs' */
/** @import { Report } from './harness.mjs' */
/** @import { LocksOf } from './options.mjs' */
/** @import { TestData } from './thread.mjs' */

/** @typedef {{ root: string, pathname: string, scope: Scope, locks: LocksOf }} Page */

/** @param {Report} report */
function send(report) {
  process.send?.(report);
}

/** @param {Page} page */
function open({ root, pathname, scope, locks: of }) {
  const locks = createLocks(of);
  if (scope === 'window') {
    runFile({ root, pathname, scope }, locks, send);
    return;
  }
  /** @type {TestData} */
  const workerData = { role: 'test', root, pathname, shared: locks.shared };
  const worker = new Worker(new URL('./thread.mjs', import.meta.url), { workerData });
  locks.adopt(worker);
  worker.on('message', (report) => send(/** @type {Report} */ (report)));
  worker.on('error', (error) => send({ end: { status: 'crash', message: String(error) } }));
}

// The runner ends the process when it has the last report.
process.on('disconnect', () => process.exit());
process.on('message', (page) => open(/** @type {Page} */ (page)));
