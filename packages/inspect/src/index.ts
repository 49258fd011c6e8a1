export { dumpArena, type DumpOptions } from './dump/dump-arena.ts';
export { formatDump } from './dump/format-dump.ts';
export { findDeadlocks, type Deadlock, type DeadlockedWait } from './deadlocks/deadlocks.ts';
export { detectDeadlocks, type DeadlockDetection } from './deadlocks/detect-deadlocks.ts';
export { formatReport, type ReportOptions } from './report/format-report.ts';
export { onStuck } from './stuck/on-stuck.ts';
export type { StuckWait } from './stuck/stuck-wait.ts';
export { StuckWatch, type StuckReport } from './stuck/stuck-watch.ts';
export {
  CHANNELS,
  startChannels,
  type Channels,
  type HoldMessage,
  type PrimitiveMessage,
  type ReclaimMessage,
  type WaitMessage,
} from './observe/channels.ts';
export type { Nesting } from './lock-order/order-checker.ts';
export type { LintFinding, LintLimits } from './lints/linter.ts';
export type { LintLevel, LintName } from './lints/names.ts';
export { Lints, startLints, type LintOptions } from './lints/start.ts';
export { startOrderChecks, OrderChecks, type OrderHandle, type OrderOptions } from './lock-order/start.ts';
export type { OrderStep, OrderViolation } from './lock-order/violation.ts';
export type { Place } from './observe/call-place.ts';
export { startPlaces, Places, type PlacesHandle, type PlacesOptions } from './places/start-places.ts';
export type { DurationData } from './statistics/durations.ts';
export { averageOf, percentileOf } from './statistics/durations.ts';
export { formatStatistics, type StatisticsTableOptions } from './statistics/format.ts';
export { pprofOf, type PprofFormat, type ProfileData } from './statistics/pprof.ts';
export {
  mergeStatistics,
  type LongestHold,
  type PlaceStatistics,
  type PrimitiveStatistics,
  type StatisticsReport,
} from './statistics/report.ts';
export { startStatistics, Statistics, type StatisticsOptions } from './statistics/statistics.ts';
