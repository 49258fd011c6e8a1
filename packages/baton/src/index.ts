export { Baton, type BatonHandle, type BatonOptions } from './baton.ts';
export type { BatonReport } from './report.ts';
