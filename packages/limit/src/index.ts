export { createLimit, type CreateLimit } from './create-limit.ts';
export type { LimitHandle } from './handle.ts';
export { limitFunction, type LimitedFunction } from './limit-function.ts';
export type { Limit } from './limit.ts';
export type { AttachOptions, LimitOptions, RunOptions } from './options.ts';
export type { LimitReport } from './report.ts';
