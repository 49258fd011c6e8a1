// What models of asynchronous code need of the source: built with its `async` functions lowered (mutate.ts).

export * from './entry.ts';
export { awaitInLine } from '../../src/line/line-async.ts';
export { LoopBudget } from '../../src/platform/loop-budget.ts';
export { AsyncWaits } from '../../src/agent/async-waits.ts';
export { Sleeper } from '../../src/line/sleeper.ts';
export { awaitAtBucket, waitAtBucket } from '../../src/line/until.ts';
// The loop of the model stands in for the platform's timers after this module is loaded.
import { ownTimers } from '../../src/platform/own-timers.ts';
ownTimers.inNextTurn = (run) => void setImmediate(run);
