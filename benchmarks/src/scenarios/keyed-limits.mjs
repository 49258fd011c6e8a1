// @ts-check
import { sideBySide } from '../lib/side-by-side.mjs';

export const name = 'keyed-limits';
export const summary =
  'limits and rates for each key: KeyedRateLimiter beside rate-limiter-flexible, KeyedLimit beside groups of Bottleneck';
export const run = sideBySide('keyed-limits');
