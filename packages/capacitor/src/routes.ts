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

/** One call of `run`: from its arrival, if it goes through the capacitor, to its departure. */
export class Visit {
  /** Whether the call must depart at its end. */
  departs: boolean;
  readonly #routes: Routes;
  readonly #through: boolean;
  #entering: boolean;

  constructor(routes: Routes, through: boolean) {
    this.#routes = routes;
    this.#through = through;
    this.#entering = through;
    this.departs = through;
    if (through) routes.entering += 1;
  }

  /** The body starts with the lock held. If it unlocks, that unlock departs. */
  begin(): void {
    this.#enter();
    this.#routes.note(this.#through);
    this.departs = false;
  }

  /** The body ends. It may have unlocked, and locked again by another route. */
  end(): void {
    this.departs = this.#routes.held > 0 && this.#routes.leave();
  }

  /** Ends the call. Returns whether it must depart. */
  finish(): boolean {
    this.#enter();
    return this.departs;
  }

  #enter(): void {
    if (this.#entering) this.#routes.entering -= 1;
    this.#entering = false;
  }
}
