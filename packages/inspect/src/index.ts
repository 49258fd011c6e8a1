export { findDeadlocks, type Deadlock, type DeadlockedWait } from './deadlocks.ts';
export { detectDeadlocks, type DeadlockDetection } from './detect-deadlocks.ts';
export { formatReport, type ReportOptions } from './format-report.ts';
export { onStuck } from './on-stuck.ts';
export type { StuckWait } from './stuck-wait.ts';
export { StuckWatch, type StuckReport } from './stuck-watch.ts';
export {
  CHANNELS,
  startChannels,
  type Channels,
  type HoldMessage,
  type PrimitiveMessage,
  type ReclaimMessage,
  type WaitMessage,
} from './channels.ts';
