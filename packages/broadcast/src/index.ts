export { Broadcast } from './broadcast.ts';
export { LaggedError } from './errors.ts';
export type { BroadcastCodec, BroadcastFromOptions, BroadcastHandle, BroadcastOptions, SubscribeOptions } from './options.ts';
export type { BroadcastReport, RegisteredSubscription } from './report.ts';
export type { Subscription } from './subscription.ts';
