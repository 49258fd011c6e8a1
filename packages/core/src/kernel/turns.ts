// The word TURN of a lock in turns, which tells whose turn it is.

import { PASSES_LEFT, TURN_OF } from './layout.ts';

/** Returns the value of TURN that records only whose turn it is: that of agent `id`. */
export function turnOf(id: i32): i32 {
  return id << TURN_OF;
}

export function isTurnOf(turn: i32, id: i32): boolean {
  return (turn ^ turnOf(id)) >>> TURN_OF === 0;
}

export function hasPassesLeft(turn: i32): boolean {
  return (turn & PASSES_LEFT) !== 0;
}
