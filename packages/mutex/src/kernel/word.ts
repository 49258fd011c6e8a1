// The high half of a mutex's word OFFICE (mutex.ts).

import { high32 } from '@sluice/core/kernel';
import { ASLEEP, DUE, SUCCESSOR } from './layout.ts';

export const WAITERS: i32 = 5; // shift
export const WAITER: i32 = 32; // 1 << WAITERS

export function waitersOf(office: i64): i32 {
  return high32(office) >>> WAITERS;
}

/** Returns the high half of the word without the bits of the successor. */
export function withoutSuccessor(office: i64): i32 {
  return high32(office) & ~(SUCCESSOR | ASLEEP | DUE);
}
