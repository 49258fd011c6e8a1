export { Condition, type ConditionHandle, type ConditionOptions } from './condition.ts';
export type { ConditionLock } from './lock-of.ts';
export type { ConditionReport } from './report.ts';
