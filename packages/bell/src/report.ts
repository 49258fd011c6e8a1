import type { Waiter } from '@sluice/core';
import { readName, type LineReport, type Place } from '@sluice/core/internal';

export interface BellReport {
  readonly kind: 'bell';
  readonly name: string;
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

export function reportBell(place: Place, { waiters }: LineReport): BellReport {
  return { kind: 'bell', name: readName(place.context.words, place.address), waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })) };
}
