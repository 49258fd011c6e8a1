export { Bell, type BellHandle, type BellOptions } from './bell.ts';
export type { BellReport } from './report.ts';
