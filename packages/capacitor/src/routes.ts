// By which route an agent's holdings of a lock came. Its unlock takes the same route back.

import { ofLocalState, type Place } from '@sluice/core/internal';

/** Shared by all of an agent's instances of one lock. */
export class Routes {
  /** All holdings, by either route. */
  held = 0;
  /** The holdings that went around the capacitor. The others arrived, and depart. */
  around = 0;
  /** Tasks that arrived, or are about to, and do not hold the inner lock yet. */
  entering = 0;

  /** Whether this agent is inside: a closed capacitor opens only after it departs. */
  get isInside(): boolean {
    return this.held > this.around || this.entering > 0;
  }

  note(through: boolean): void {
    this.held += 1;
    if (!through) this.around += 1;
  }

  /** Ends a holding. Returns whether it departs. */
  leave(): boolean {
    this.held -= 1;
    if (this.around === 0) return true;
    this.around -= 1;
    return false;
  }
}

export const routesAt: (place: Place) => Routes = ofLocalState(() => new Routes());
