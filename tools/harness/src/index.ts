export { Crew, startWorker, withCrew, type CrewOptions, type Job } from './crew.ts';
export { Random } from './random.mjs';
export { halfOf, scale, Session, soakSize } from './session.ts';
export { type JobContext, type Message } from './worker.mjs';
