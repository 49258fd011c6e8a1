// What a seat keeps for each primitive, as the real one does: in models each run of a body has a seat of its own.

import { AsyncWaits } from '@sluice/core/internal';
import type { Patrol, Seat, Standing } from '../../../core/src/arena/seat.ts';

const patrols = new WeakMap<Seat, Patrol>();

/**
 * Keeps standings. `entry`: where permits are noted, if that is not what the world has for the address. Waiters do not look
 * after each other on their own: those naps may end at any moment, for ever.
 */
export function keepStandings(seat: Seat, entry?: number): Seat {
  const standings = new Map<number, Standing>();
  const make = seat.standing.bind(seat);
  const create = (block: number, tag: number, recorded: boolean, ordered = true): Standing =>
    entry === undefined ? make(block, tag, recorded, ordered) : { block, tag, entry, asyncWaits: new AsyncWaits(), ordered };
  seat.standing = (block, tag, recorded, ordered, patrol) => {
    if (patrol !== undefined) patrols.set(seat, patrol);
    const standing = standings.get(block) ?? create(block, tag, recorded, ordered);
    standings.set(block, standing);
    return standing;
  };
  return seat;
}

/** How this agent would look after those before it. */
export function patrolOf(seat: Seat): Patrol | undefined {
  return patrols.get(seat);
}
