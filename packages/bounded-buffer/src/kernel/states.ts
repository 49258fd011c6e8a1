// Outcomes that only the steps of a bounded buffer have. The others are the core's.

import type { RACED, SHUT, TAKEN, WAITING } from '@sluice/core/kernel';

/** Inside, but too few units are there. */
export const SHORT = -40;
/** Other agents come before it, and enough is there for all of them. */
export const BESIDE = -41;

/** Added to a value that `passInt32` passed. */
export const WALK: f64 = 4294967296;

/** What the owner of a side's lock finds. */
export type Look = typeof TAKEN | typeof SHORT | typeof SHUT;
/** What a newcomer finds. */
export type ComeIn = Look | typeof WAITING | typeof BESIDE | typeof RACED;
