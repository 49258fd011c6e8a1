export { AutoResetEvent, type AutoResetEventHandle, type AutoResetEventOptions, type AutoResetEventReport } from '@sluice/auto-reset-event';
export { ManualResetEvent, type ManualResetEventHandle, type ManualResetEventOptions } from './manual-reset-event.ts';
export type { ManualResetEventReport } from './report.ts';
