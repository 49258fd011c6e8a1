export type { CacheKey } from './key.ts';
export type {
  CacheCodec,
  CacheSetOptions,
  SharedCacheFromOptions,
  SharedCacheHandle,
  SharedCacheOptions,
} from './options.ts';
export type { CacheStatistics, ComputingReport, SharedCacheReport } from './report.ts';
export { SharedCache, type UseAsyncGet } from './shared-cache.ts';
