export { Broadcast } from './broadcast.ts';
export { LaggedError } from './errors.ts';
export type {
  BroadcastCodec,
  BroadcastFromOptions,
  BroadcastHandle,
  BroadcastOptions,
  SubscribeOptions,
} from './options.ts';
export type { BroadcastReport, RegisteredSubscription } from './report.ts';
export type { Subscription } from './subscription.ts';
export type { WatchCellFromOptions, WatchCellHandle, WatchCellOptions, WatchCodec } from './watch/options.ts';
export type { WatchCellReport } from './watch/report.ts';
export { WatchCell } from './watch/watch-cell.ts';
