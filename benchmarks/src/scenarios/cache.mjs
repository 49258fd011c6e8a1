// @ts-check
import { sideBySide } from '../lib/side-by-side.mjs';

export const name = 'cache';
export const summary = 'SharedCache: hits beside structuredClone, lru-cache and a cache by hand, and a storm of misses';
export const run = sideBySide('cache');
