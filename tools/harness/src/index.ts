export { Crew, withCrew, type CrewOptions, type Job } from './crew.ts';
export { Random } from './random.mjs';
export { scale, Session } from './session.ts';
export { type JobContext } from './worker.mjs';
