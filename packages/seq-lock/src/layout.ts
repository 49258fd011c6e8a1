// The size of a seq-lock's data.

import { COPIES } from './kernel/layout.ts';

const CACHE_LINE = 64;

/** The bytes from one copy to the next. */
export function strideOf(byteLength: number): number {
  return Math.ceil(byteLength / CACHE_LINE) * CACHE_LINE;
}

/** What a reader has to know of the size. */
export function extentOf(byteLength: number): { readonly length: number; readonly stride: number } {
  return { length: Math.ceil(byteLength / 4), stride: strideOf(byteLength) };
}

/** The bytes of the data of a seq-lock. */
export function dataBytesOf(byteLength: number): number {
  return COPIES + 2 * strideOf(byteLength);
}
