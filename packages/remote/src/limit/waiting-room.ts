// The places of the waiting calls of a limit with `maxWaiting`: the permits of a line beside that of the slots.
//
// 1. A call that cannot have a slot at once takes a place before it waits, and gives it back when it starts or gives
//    up. So at most `maxWaiting` calls wait, over all processes. The places of a dead process come back with its lease.
// 2. A call takes no slot while another call of this object asks for a place, so that calls start in their order.
// 3. With `shed: 'oldest'`, a call that finds no place takes that of a waiting call of this object.

import { OverloadedError } from '@sluice/core/calls';
import type { Grant } from '../session/grant.ts';
import type { RemoteGuard } from '../primitives/guard.ts';
import type { Holdings } from '../primitives/holdings.ts';

/** A place, as the call has it. Another call of this object may take it over. */
export class WaitingPlace {
  readonly priority: number;
  /** Ends the wait of the call with an error. */
  readonly shed: (reason: Error) => void;
  guard: RemoteGuard | undefined;

  constructor(priority: number, shed: (reason: Error) => void, guard: RemoteGuard) {
    this.priority = priority;
    this.shed = shed;
    this.guard = guard;
  }
}

export class WaitingRoom {
  readonly #slots: Holdings;
  /** `undefined`: no call may wait. */
  readonly #places: Holdings | undefined;
  readonly #maxWaiting: number;
  readonly #shedsOldest: boolean;
  /** In the order in which they were taken. */
  readonly #taken = new Set<WaitingPlace>();
  #asking = 0;

  constructor(slots: Holdings, places: Holdings | undefined, maxWaiting: number, shedsOldest: boolean) {
    this.#slots = slots;
    this.#places = places;
    this.#maxWaiting = maxWaiting;
    this.#shedsOldest = shedsOldest;
  }

  /**
   * Resolves with a slot that is free, or with the place of a call that has to wait. Rejects with `OverloadedError`.
   * `shed`: ends the wait of the call.
   */
  async enter(priority: number, shed: (reason: Error) => void): Promise<Grant | WaitingPlace> {
    if (this.#asking === 0 && this.#taken.size === 0) {
      const slot = await this.#slots.tryTake(1, 0);
      if (slot !== undefined) return slot;
    }
    this.#asking++;
    try {
      const grant = await this.#places?.tryTake(1, 0);
      const guard = grant === undefined ? this.#takeOver(priority) : this.#places?.guard(grant);
      if (guard === undefined) throw this.#overload();
      const place = new WaitingPlace(priority, shed, guard);
      this.#taken.add(place);
      return place;
    } finally {
      this.#asking--;
    }
  }

  /** Gives a place back. Without effect if another call has taken it over. */
  leave(place: WaitingPlace): void {
    this.#taken.delete(place);
    place.guard?.release().catch(() => undefined);
    place.guard = undefined;
  }

  /** Sheds the call that has waited longest among those of the lowest priority, and returns its place. */
  #takeOver(priority: number): RemoteGuard | undefined {
    if (!this.#shedsOldest) return undefined;
    let lowest: WaitingPlace | undefined;
    for (const place of this.#taken) if (lowest === undefined || place.priority < lowest.priority) lowest = place;
    if (lowest === undefined || lowest.priority > priority) return undefined;
    const { guard } = lowest;
    lowest.guard = undefined;
    this.#taken.delete(lowest);
    lowest.shed(this.#overload());
    return guard;
  }

  #overload(): OverloadedError {
    const which = this.#shedsOldest ? 'oldest' : 'newest';
    return new OverloadedError(
      `${this.#slots.line.title}: ${this.#maxWaiting} calls wait already, so the ${which} one was shed. Its function was not called.`,
    );
  }
}
