// Whose turn it is at a lock in turns: its word TURN.

import { TURN_OF } from './layout.ts';

/** The value of TURN that says only whose turn it is: that of agent `id`. */
export function turnOf(id: i32): i32 {
  return id << TURN_OF;
}

export function isTurnOf(turn: i32, id: i32): boolean {
  return (turn ^ turnOf(id)) >>> TURN_OF === 0;
}
