// The words of a keyed rate limiter: its terms, and what its agents agree on. They lie behind the lists of its table.

import type { Words } from '@sluice/core/internal';
import { rateOf, type Rate } from '@sluice/limit/internal';

const PERMITS = 0;
const BURST = 4;
const INTERVAL = 8; // 8 bytes: a double, in ms
const BASE = 16; //     i64: ms since 1970 at which agreed time is 0
// i64: the latest agreed time at which an entry was freed, in ticks. A new entry begins there, so that the agreed time
// of a key never decreases.
export const AGREED = 24;
export const SWEPT = 32; // i64: agreed time of the last sweep, in ticks
export const TERMS_BYTES = 40;

/** The terms of a keyed rate limiter. */
export interface KeyRateTerms {
  readonly rate: Rate;
  /** The zero of agreed time, in ms of the clock. */
  readonly base: number;
}

export function writeTerms(words: Words, address: number, { rate, base }: KeyRateTerms): void {
  words.put32(address + PERMITS, rate.permits);
  words.put32(address + BURST, rate.burst);
  const [low, high] = halvesOf(rate.interval);
  words.put32(address + INTERVAL, low);
  words.put32(address + INTERVAL + 4, high);
  words.put64(address + BASE, BigInt(base));
}

/** Throws `RangeError` if the memory is damaged. */
export function readTerms(words: Words, address: number): KeyRateTerms {
  const interval = doubleOf(words.get32(address + INTERVAL), words.get32(address + INTERVAL + 4));
  const rate = rateOf(words.get32(address + PERMITS), interval, words.get32(address + BURST));
  return { rate, base: Number(words.get64(address + BASE)) };
}

function halvesOf(value: number): readonly [low: number, high: number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value, true);
  return [view.getInt32(0, true), view.getInt32(4, true)];
}

function doubleOf(low: number, high: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setInt32(0, low, true);
  view.setInt32(4, high, true);
  return view.getFloat64(0, true);
}
