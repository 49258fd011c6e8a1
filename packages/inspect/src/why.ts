// The entry '@sluice/inspect/why', for Node.js. Loading it changes `Atomics` and the `Worker` of Node.js in this
// thread, and in each worker that the thread starts, so that a thread of its own can tell why the program hangs
// (docs/decisions/185-foreign-waits-are-recorded-and-read-by-a-thread-of-its-own.md). With SLUICE_WHY=0, loading it
// does nothing.

import { startWhy } from './why/start-why.ts';

export { requestReport } from './why/start-why.ts';

startWhy();
