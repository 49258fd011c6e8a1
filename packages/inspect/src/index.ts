export { findDeadlocks, type Deadlock, type DeadlockedWait } from './deadlocks.ts';
export { detectDeadlocks, type DeadlockDetection } from './detect-deadlocks.ts';
export { formatReport, type ReportOptions } from './format-report.ts';
