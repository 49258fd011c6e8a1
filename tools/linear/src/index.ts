export { checkHistory, type CheckOptions, type Verdict } from './check.ts';
export { describe, type Kind, type Operation, type Outcome, type QueueSpec } from './history.ts';
export { Recorder, logBytes, operationsOf, type Taping } from './recorder.mjs';
