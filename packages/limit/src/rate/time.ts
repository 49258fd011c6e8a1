// Time as a bucket counts it. Ticks are whole, so that a 64-bit word and a double hold each time exactly; there are
// 2^53 in 17 years.

export const TICKS_PER_MS = 16_000;
