// @ts-check
// Workers of all forms, each of which waits for ever.
import { env, execArgv } from 'node:process';
import { isMainThread, SHARE_ENV, Worker, workerData } from 'node:worker_threads';

const WAIT = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
const file = new URL(import.meta.url);
if (isMainThread) {
  new Worker(WAIT, { eval: true, name: 'a text' });
  new Worker(new URL(`data:text/javascript,${WAIT}`), { name: 'a data URL' });
  new Worker(file, { workerData: 'waits', execArgv: [], name: 'no options' });
  new Worker(file, { workerData: 'waits', env: {}, name: 'no environment' });
  new Worker(file, { workerData: 'waits', env: { ...env }, name: 'copied environment' });
  new Worker(file, { workerData: 'waits', env: SHARE_ENV, name: 'shared environment' });
  new Worker(file, { workerData: 'waits', resourceLimits: { maxOldGenerationSizeMb: 8 }, name: 'little memory' });
  new Worker(file, { workerData: 'starts', execArgv: ['--no-warnings'], name: 'outer' });
} else if (workerData === 'starts') {
  new Worker(file, { workerData: 'waits', execArgv: [], name: 'nested' });
} else {
  if (execArgv.some((option) => option.endsWith('why.cjs'))) throw new Error(`execArgv: ${execArgv.join()}`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
