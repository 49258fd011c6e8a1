// The entry of the models of asynchronous code. It is built with lowered `async` functions (mutate.ts).

export * from './entry.ts';
export { awaitInLine } from '../../src/line/line-async.ts';
export { LoopBudget } from '../../src/platform/loop-budget.ts';
export { AsyncWaits } from '../../src/agent/async-waits.ts';
export { Sleeper } from '../../src/line/sleeper.ts';
export { awaitAtBucket, waitAtBucket } from '../../src/line/chain-wait.ts';
// The model's loop replaces the platform's timers after this module is loaded.
import { ownTimers } from '../../src/platform/own-timers.ts';
ownTimers.inNextTurn = (run) => void setImmediate(run);
