export { Condition, type ConditionHandle, type ConditionLock, type ConditionOptions } from './condition.ts';
export type { ConditionReport } from './report.ts';
