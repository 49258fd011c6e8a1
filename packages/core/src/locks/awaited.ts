// Whether agents wait for a lock whose word OFFICE counts them in its high half.

import { OFFICE_HIGH } from '../kernel/layout.ts';
import { NOTICE, UNSEEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';

/** Whether agents sleep, or compete for the lock. The two lowest bits of the high half report a dead owner instead. */
export function isAwaited(words: Words, lock: number): boolean {
  return (words.load32(lock + OFFICE_HIGH) & ~(NOTICE | UNSEEN)) !== 0;
}
