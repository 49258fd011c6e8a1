// What the steps of a wait have to know of the box office in front of its line: which one it is, how a waiter becomes an owner, and how it
// is removed from the count.

import { credit } from './admit.ts';
import { cancelAtBox } from './box.ts';
import {
  FLAGS,
  FLAG_DEALT,
  FLAG_INNER,
  FRONT,
  SEM,
} from './layout.ts';
import { cancelInLanes } from './multilane.ts';
import { get32, wide } from './words.ts';

const INNER_LINES: i32 = FLAG_INNER | FLAG_DEALT;

/** Whether a box office counts the waiters of this semaphore. */
export function hasOffice(sem: i32): boolean {
  return (get32(sem + FLAGS) & INNER_LINES) !== 0;
}

/** Whether its line is one of several of a semaphore of the family, which may be closed (FRONT). */
export function isInnerLine(sem: i32): boolean {
  return (get32(sem + FLAGS) & INNER_LINES) !== 0;
}

/** As `cancelAtOffice`, for such a line. CANCELLED_LEFT_BEHIND: the waiter stays counted, and is a stray. */
export function cancelInner(agent: i32, element: i32): i32 {
  const sem = get32(element + SEM);
  if ((get32(sem + FLAGS) & FLAG_INNER) !== 0) return cancelAtBox(get32(sem + FRONT));
  return cancelInLanes(agent, element);
}

/** For an agent that got its permit: records the permit in `entry`. */
export function occupy(entry: i32): void {
  credit(entry, wide(1));
}
