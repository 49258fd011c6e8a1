export type { RateLimiterHandle } from './handle.ts';
export type { BlockingOptions, RateLimiterOptions } from './options.ts';
export { RateLimiter } from './rate-limiter.ts';
export type { RateLimiterReport } from './report.ts';
export type { Reservation } from './reservation.ts';
