// For the other @sluice packages only: the bucket of a rate, for a package that keeps it in words of its own. Not a
// public API: it may change with every version.

export { Bucket } from './rate/bucket.ts';
export { ARRIVAL, LATEST, TOLERANCE } from './rate/kernel/layout.ts';
export { checkBlocking, checkTerms, type BlockingOptions, type RateTerms } from './rate/options.ts';
export { rateOf, type Rate } from './rate/rate.ts';
export { TICKS_PER_MS } from './rate/time.ts';
