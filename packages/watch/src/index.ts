export type { WatchCodec } from './codec.ts';
export type { WatchCellFromOptions, WatchCellHandle, WatchCellOptions } from './options.ts';
export type { WatchCellReport } from './report.ts';
export { WatchCell } from './watch-cell.ts';
