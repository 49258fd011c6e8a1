export { findDeadlocks, type Deadlock, type DeadlockedWait } from './deadlocks.ts';
export { formatReport, type ReportOptions } from './format-report.ts';
