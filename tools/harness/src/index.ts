export { Crew, startWorker, withCrew, type CrewOptions, type Job } from './crew.ts';
export { Random } from './random.mjs';
export { isFullDepth, shortOf, scale, Session, soakSize } from './session.ts';
export type { JobContext, Message } from './worker.mjs';
