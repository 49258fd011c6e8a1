// Time in ticks, as a bucket counts it. Ticks are whole numbers, and 17 years have fewer than 2^53 ticks. So a 64-bit
// word and a double hold each time exactly.

export const TICKS_PER_MS = 16_000;
