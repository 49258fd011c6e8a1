export { Crew, startWorker, withCrew, type CrewOptions, type Job } from './crew.ts';
export { Random } from './random.mjs';
export {
  atFullDepth,
  byDepth,
  depth,
  reaches,
  shortOf,
  scale,
  Session,
  soak,
  soakSize,
  type Depth,
} from './session.ts';
export type { JobContext, Message } from './worker.mjs';
