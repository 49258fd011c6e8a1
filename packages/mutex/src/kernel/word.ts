// The high half of a mutex's word OFFICE (mutex.ts).

import { NOTICE } from '@sluice/core/format';
import { high32 } from '@sluice/core/kernel';
import { ASLEEP, DUE, SUCCESSOR } from './layout.ts';

export const WAITERS: i32 = 5; // shift
export const WAITER: i32 = 32; // 1 << WAITERS

export function waitersOf(office: i64): i32 {
  return high32(office) >>> WAITERS;
}

export function hasSuccessor(office: i64): boolean {
  return (high32(office) & SUCCESSOR) !== 0;
}

export function isAsleep(office: i64): boolean {
  return (high32(office) & ASLEEP) !== 0;
}

export function isDue(office: i64): boolean {
  return (high32(office) & DUE) !== 0;
}

/** Whether there is neither a successor nor a notice. */
export function isQuiet(office: i64): boolean {
  return (high32(office) & (WAITER - 1)) === 0;
}

/** Whether a turn is under way, and no notice is. */
export function isInTurn(office: i64): boolean {
  return (high32(office) & (SUCCESSOR | NOTICE)) === SUCCESSOR;
}

/** Whether a turn is under way that is not due, with an awake successor and without a notice. */
export function isInQuietTurn(office: i64): boolean {
  return (high32(office) & (WAITER - 1)) === SUCCESSOR;
}

/** Returns the high half of the word without the bits of the successor. */
export function withoutSuccessor(office: i64): i32 {
  return high32(office) & ~(SUCCESSOR | ASLEEP | DUE);
}
