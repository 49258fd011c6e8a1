export type { WatchCellFromOptions, WatchCellHandle, WatchCellOptions, WatchCodec } from './options.ts';
export type { WatchCellReport } from './report.ts';
export { WatchCell } from './watch-cell.ts';
