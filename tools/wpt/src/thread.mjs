// @ts-check
// A worker thread of a page: it runs a test file, or a script that a test starts.
import { parentPort, workerData } from 'node:worker_threads';
import { runFile } from './harness.mjs';
import { openLocks } from './locks.mjs';
import { openRealm } from './scope.mjs';

/** @import { MessagePort } from 'node:worker_threads' */
/** @import { Shared } from './locks.mjs' */
/** @import { ScriptData } from './web-worker.mjs' */

/** @typedef {{ role: 'test', root: string, pathname: string, shared: Shared }} TestData */

/** @param {TestData | ScriptData} data @param {MessagePort} port */
function open({ role, root, pathname, shared }, port) {
  const locks = openLocks(shared);
  const post = (/** @type {unknown} */ message) => port.postMessage(message);
  if (role === 'test') {
    runFile({ root, pathname, scope: 'worker' }, locks, post);
    return;
  }
  const realm = openRealm({ root, pathname, scope: 'worker', locks, post });
  realm.load(pathname);
  // From here on: messages that came before wait in the port.
  port.on('message', (data) => realm.dispatch('message', { data }));
}

if (parentPort !== null) open(/** @type {TestData | ScriptData} */ (workerData), parentPort);
