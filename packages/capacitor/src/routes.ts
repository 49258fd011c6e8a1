// Which way an agent's holdings of a lock came: its unlock has to take the same.

import { ofLocalState, type Place } from '@sluice/core/internal';

/** One for all instances of a lock that an agent has. */
export class Routes {
  /** Holdings, however they came. */
  held = 0;
  /** Those of them that went around the capacitor. The others arrived, and depart. */
  around = 0;
  /** Tasks that arrived, or are about to, and do not hold the inner lock yet. */
  entering = 0;

  /** Whether this agent would have to depart first, were the capacitor to open. */
  get isInside(): boolean {
    return this.held > this.around || this.entering > 0;
  }

  note(through: boolean): void {
    this.held += 1;
    if (!through) this.around += 1;
  }

  /** A holding ends; whether it departs. */
  leave(): boolean {
    this.held -= 1;
    if (this.around === 0) return true;
    this.around -= 1;
    return false;
  }
}

export const routesAt: (place: Place) => Routes = ofLocalState(() => new Routes());

/** One call of `run`: from the arrival, if it came that way, to the departure. */
export class Visit {
  /** Whether it has to depart at its end. */
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

  /** The body has the lock, and departs by itself if it unlocks. */
  begin(): void {
    this.#enter();
    this.#routes.note(this.#through);
    this.departs = false;
  }

  /** It ends. It may have unlocked, and locked again by another route. */
  end(): void {
    this.departs = this.#routes.held > 0 && this.#routes.leave();
  }

  /** Whether it has to depart, now that it is over. */
  finish(): boolean {
    this.#enter();
    return this.departs;
  }

  #enter(): void {
    if (this.#entering) this.#routes.entering -= 1;
    this.#entering = false;
  }
}
