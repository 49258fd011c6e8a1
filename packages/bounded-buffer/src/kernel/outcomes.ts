// The results that only the steps of a bounded buffer have. The other results are the core's.

import type { RACED, SHUT, TAKEN, WAITING } from '@sluice/core/format';

/** The caller owns the lock, but too few units are available. */
export const SHORT = -40;
/** Other agents come before the caller, and there is enough for all of them. */
export const BESIDE = -41;

/** No step returns this: after a wait in line too few units are available, and the agent stays the head. */
export const STAYS_HEAD = -42;

/** `passInt32` adds this to a value when the caller must run the walk. */
export const WALK: f64 = 4294967296;

/** The result of a check by the owner of a side's lock. */
export type SideCheck = typeof TAKEN | typeof SHORT | typeof SHUT;
/** The result of a newcomer's attempt to enter. */
export type EnterSide = SideCheck | typeof WAITING | typeof BESIDE | typeof RACED;
