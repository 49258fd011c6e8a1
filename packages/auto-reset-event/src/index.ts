export { AutoResetEvent, type AutoResetEventHandle, type AutoResetEventOptions } from './auto-reset-event.ts';
export type { AutoResetEventReport } from './report.ts';
