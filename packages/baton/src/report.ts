// What `inspect` reports for a baton.

import type { Waiter } from '@sluice/core';
import { holdersOf, readName, type LineReport, type Place } from '@sluice/core/internal';
import { VALUE } from './kernel/layout.ts';

export interface BatonReport {
  readonly kind: 'baton';
  readonly name: string;
  readonly value: number;
  readonly heldBy: readonly number[];
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

export function valueAt({ context: { words }, address }: Place): number {
  return words.load32(address + VALUE);
}

export function reportBaton(place: Place, { waiters }: LineReport): BatonReport {
  return {
    kind: 'baton',
    name: readName(place.context.words, place.address),
    value: valueAt(place),
    heldBy: holdersOf(place.context, place),
    waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })),
  };
}
