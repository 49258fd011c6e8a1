export {
  AutoResetEvent,
  type AutoResetEventHandle,
  type AutoResetEventOptions,
  type AutoResetEventReport,
} from '@sluice/auto-reset-event';
export type { ValueCodec } from '@sluice/core/calls';
export type { UseGetAsync } from './initialiser.ts';
export { Lazy } from './lazy.ts';
export type { LazyHandle } from './lazy-handle.ts';
export type { LazyBytesOptions, LazyNumberOptions, LazyOptions } from './lazy-options.ts';
export { ManualResetEvent, type ManualResetEventHandle, type ManualResetEventOptions } from './manual-reset-event.ts';
export { Once, type OnceHandle, type OnceOptions } from './once.ts';
export type { LazyReport, OnceReport, OnceState } from './once-report.ts';
export type { ManualResetEventReport } from './report.ts';
