// The entry of the models of async calls at mutexes. It is built with lowered `async` functions (core's mutate.ts).

export * from './entry.ts';
export { AsyncWaits } from '../../../core/src/agent/async-waits.ts';
// The model's loop replaces the platform's timers after this module is loaded.
import { ownTimers } from '../../../core/src/platform/own-timers.ts';
ownTimers.inNextTurn = (run) => void setImmediate(run);
