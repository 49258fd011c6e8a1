export { explore } from './explore.ts';
export { report, summary } from './report.ts';
export {
  DIED,
  STUCK,
  type AgentSpec,
  type Context,
  type Failure,
  type FailureKind,
  type Options,
  type Parking,
  type Result,
  type Scenario,
  type Verdict,
  type WaitResult,
  type Words,
} from './types.ts';
