// What the steps of a wait have to know of the box office in front of its line: which one it is, how a waiter becomes an owner, and how it
// is removed from the count.

import { credit } from './admit.ts';
import {
  FLAGS,
  FLAG_MUTEX,
} from './layout.ts';
import { occupyMutex, cancelAtMutex } from './mutex.ts';
import { get32, wide } from './words.ts';

const OFFICES: i32 = FLAG_MUTEX;

/** Whether a box office counts the waiters of this semaphore. */
export function hasOffice(sem: i32): boolean {
  return (get32(sem + FLAGS) & OFFICES) !== 0;
}

/** For an agent that got its permit: makes the agent with that id the owner, or records the permit in `entry`. */
export function occupy(sem: i32, id: i32, entry: i32): void {
  const flags = get32(sem + FLAGS);
  if ((flags & FLAG_MUTEX) !== 0) occupyMutex(sem, id);
  else credit(entry, wide(1));
}

/** CANCELLED: removed from the count. TAKEN: a permit is under way for the waiter, which has to take it. RACED: call again. */
export function cancelAtOffice(sem: i32): i32 {
  return cancelAtMutex(sem);
}
