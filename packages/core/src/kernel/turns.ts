// Whose turn it is at a lock in turns: its word TURN.

import { TURN_OF } from './layout.ts';

/** A value of TURN that says nothing but that it is this agent's turn. */
export function turnOf(id: i32): i32 {
  return id << TURN_OF;
}

export function isTurnOf(turn: i32, id: i32): boolean {
  return ((turn ^ turnOf(id)) >>> TURN_OF) === 0;
}
