// One state on the search's path, and what is still to be done there. Frames are reused.

import type { Snapshot } from './machine.ts';

export class Frame {
  readonly snapshot: Snapshot = { states: [], sleepers: [], mark: 0, rewound: 0, deathsLeft: 0, wakesLeft: 0 };
  /** Transitions covered elsewhere, and those done here, as bits. */
  sleep = 0;
  todo = 0;
  /** An agent's own choice: its branches are what is to be done. */
  branches = 0;
  /** What leads to the next frame. */
  transition = 0;
  branch = 0;
  /** Whose turn it was, and the preemptions left. */
  last = -1;
  canContinue = false;
  preemptions = 0;
  visited = false;

  /** Moves on to the next transition, the last agent's first; false: none left. */
  next(): boolean {
    if (this.branches > 0) {
      this.branch += 1;
      return this.branch < this.branches;
    }
    if (this.todo === 0) return false;
    const own = 1 << (4 * this.last);
    const bit = this.last >= 0 && (this.todo & own) !== 0 ? own : this.todo & -this.todo;
    this.transition = 31 - Math.clz32(bit);
    this.todo &= ~bit;
    return true;
  }
}
