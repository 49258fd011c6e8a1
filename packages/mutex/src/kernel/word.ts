// The high half of a mutex's word OFFICE, and its word TURN (mutex.ts).

import { high32 } from '@sluice/core/kernel';
import { DUE, SUCCESSOR, TURN_OF } from './layout.ts';

// In the high half of the word.
export const ASLEEP: i32 = 8;
export const WAITERS: i32 = 5; // shift
export const WAITER: i32 = 32; // 1 << WAITERS

export function waitersOf(office: i64): i32 {
  return high32(office) >>> WAITERS;
}

/** The high half of the word without what concerns the successor. */
export function withoutSuccessor(office: i64): i32 {
  return high32(office) & ~(SUCCESSOR | ASLEEP | DUE);
}

/** A value of TURN that says nothing but that it is this agent's turn. */
export function turnOf(id: i32): i32 {
  return id << TURN_OF;
}

export function isTurnOf(turn: i32, id: i32): boolean {
  return ((turn ^ turnOf(id)) >>> TURN_OF) === 0;
}
