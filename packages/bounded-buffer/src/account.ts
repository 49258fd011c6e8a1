// What the errors of a buffer say about it.

import { Account, BLOCK_TAG, plural, type Place } from '@sluice/core/internal';
import { ahead, lineAt, PRODUCERS, TURNS, VALUES } from './lines.ts';

/** For producers, which wait for room, or for consumers, which wait for values. `which`: as in `Side`. */
export function sideAccount(place: Place, which: number): Account {
  const isProducers = which === PRODUCERS;
  const address = lineAt(place, TURNS, which);
  const tag = Math.abs(place.context.words.load32(address + BLOCK_TAG));
  return new Account(
    {
      className: 'BoundedBuffer',
      late: isProducers ? 'had no room' : 'had no value',
      untouched: isProducers ? 'No value was put in.' : 'No value was taken.',
      noun: isProducers ? 'producer' : 'consumer',
      blame: () => [],
      state: (buffer) => `${plural(ahead(buffer, VALUES), 'value')} in it`,
    },
    place,
    { address, tag },
  );
}
