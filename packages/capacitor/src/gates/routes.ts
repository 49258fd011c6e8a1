// The routes by which an agent's holdings of a lock came. Each unlock takes the route of its holding back.

import { perLineState, type BlockRef } from '@sluice/core/internal';

/** Shared by all of an agent's instances of one lock. */
export class Routes {
  /** The number of holdings by either route. */
  held = 0;
  /** The number of holdings that went around the capacitor. The others arrived, and depart. */
  around = 0;
  /** The number of tasks that arrived, or are about to, and do not hold the inner lock yet. */
  entering = 0;

  /** Whether this agent is inside: a closed capacitor opens only after it departs. */
  get isInside(): boolean {
    return this.held > this.around || this.entering > 0;
  }

  note(through: boolean): void {
    this.held += 1;
    if (!through) this.around += 1;
  }

  /** Ends a holding. Returns whether the agent has to depart. */
  leave(): boolean {
    this.held -= 1;
    if (this.around === 0) return true;
    this.around -= 1;
    return false;
  }
}

export const routesAt: (ref: BlockRef) => Routes = perLineState(() => new Routes());
