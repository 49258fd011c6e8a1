// What models of asynchronous code need of the source: built with its `async` functions lowered (mutate.ts).

export * from './entry.ts';
export { awaitInLine } from '../../src/semaphore/line-async.ts';
export { LoopBudget } from '../../src/loop-budget.ts';
export { AsyncWaits } from '../../src/arena/async-waits.ts';
export { Sleeper } from '../../src/channel/sleeper.ts';
export { awaitAtBucket, waitAtBucket } from '../../src/channel/until.ts';
// The loop of the model stands in for the platform's timers after this module is loaded.
import { ownTimers } from '../../src/own-timers.ts';
ownTimers.inNextTurn = (run) => void setImmediate(run);
