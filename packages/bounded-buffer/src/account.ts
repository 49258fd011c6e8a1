// What the errors of a buffer say about it.

import { Account, BLOCK_LINE, BLOCK_TAG, plural, POSITION, type Place } from '@sluice/core/internal';

/** After the block's first line: the lines of both sides, then the lines in which their agents wait. */
const SIDES = 2;

/** For producers, which wait for room, or for consumers, which wait for values. `which`: as in `Side`. */
export function sideAccount(place: Place, which: number): Account {
  const isProducers = which === 0;
  const address = place.address + (1 + SIDES + which) * BLOCK_LINE;
  const tag = Math.abs(place.context.words.load32(address + BLOCK_TAG));
  return new Account(
    {
      className: 'BoundedBuffer',
      late: isProducers ? 'had no room' : 'had no value',
      untouched: isProducers ? 'No value was put in.' : 'No value was taken.',
      noun: isProducers ? 'producer' : 'consumer',
      blame: () => [],
      state: ({ context: { words }, address: block }) => {
        const [ahead, behind] = [1, 2].map((side) => words.load32(block + side * BLOCK_LINE + POSITION + 4));
        return `${plural(((ahead ?? 0) - (behind ?? 0)) | 0, 'value')} in it`;
      },
    },
    place,
    { address, tag },
  );
}
