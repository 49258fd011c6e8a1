export { WorkerGroup, startWorker, withWorkers, type WorkerGroupOptions, type Job } from './worker-group.ts';
export { Random } from './random.mjs';
export {
  atFullDepth,
  byDepth,
  depth,
  exceptQuick,
  oneIn,
  reaches,
  shortOf,
  scale,
  Session,
  soak,
  soakSize,
  type Depth,
} from './session.ts';
export type { JobContext, Message } from './worker.mjs';
