// The size of a seq-lock's data.

import { COPIES } from './kernel/layout.ts';

const CACHE_LINE = 64;

/** Returns the distance between the two copies in bytes. */
export function strideOf(byteLength: number): number {
  return Math.ceil(byteLength / CACHE_LINE) * CACHE_LINE;
}

/** Returns the sizes that a reader needs. */
export function extentOf(byteLength: number): { readonly length: number; readonly stride: number } {
  return { length: Math.ceil(byteLength / 4), stride: strideOf(byteLength) };
}

/** Returns the size of a seq-lock's data in bytes. */
export function dataBytesOf(byteLength: number): number {
  return COPIES + 2 * strideOf(byteLength);
}
