// Which way an agent's holdings of a lock came: its unlock has to take the same.

import { seatOf } from '@sluice/core/internal';
import type { Arena } from '@sluice/core';

/** One for all instances of a lock that an agent has. */
export class Routes {
  /** Holdings, however they came. */
  held = 0;
  /** Those of them that went around the capacitor. The others arrived, and depart. */
  around = 0;

  enter(diverted: boolean): void {
    this.held += 1;
    if (diverted) this.around += 1;
  }

  leave(diverted: boolean): void {
    this.held -= 1;
    if (diverted) this.around -= 1;
  }
}

const routes = new WeakMap<object, Map<string, Routes>>();

/** `key`: the same for all instances of the lock, and no other's. */
export function routesAt(arena: Arena, key: string): Routes {
  const seat = seatOf(arena);
  const ofSeat = routes.get(seat) ?? new Map<string, Routes>();
  routes.set(seat, ofSeat);
  const found = ofSeat.get(key) ?? new Routes();
  ofSeat.set(key, found);
  return found;
}
