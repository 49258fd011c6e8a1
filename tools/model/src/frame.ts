// One state on the search's path, with the transitions still to be explored there. Frames are reused.

import type { Snapshot } from './machine.ts';

export class Frame {
  readonly snapshot: Snapshot = { states: [], sleepers: [], mark: 0, rewound: 0, deathsLeft: 0, wakesLeft: 0 };
  /** The transitions covered elsewhere and the transitions explored here, as bits. */
  sleep = 0;
  todo = 0;
  /** At an agent's own choice: the number of branches. They are explored instead of transitions. */
  branches = 0;
  /** The transition that leads to the next frame. */
  transition = 0;
  branch = 0;
  /** The agent of the last transition, and the number of preemptions left. */
  last = -1;
  canContinue = false;
  preemptions = 0;
  visited = false;

  /** Moves on to the next transition; those of the last agent come first. Returns false if none is left. */
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
