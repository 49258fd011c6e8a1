// Describes a buffer in errors.

import { PrimitiveErrors, BLOCK_TAG, plural, type LineRef, type BlockRef } from '@sluice/core/internal';
import { ahead, lineAt, MORE, PRODUCERS, HEAD_LINE, VALUES } from './lines.ts';

/** Describes a side: producers wait for room, consumers wait for values. `which` is that of `Side`. */
export function sideErrors(ref: BlockRef, which: number): PrimitiveErrors {
  const isProducers = which === PRODUCERS;
  const lineOf = (kind: number): LineRef => {
    const address = lineAt(ref, kind, which);
    return { address, tag: Math.abs(ref.context.words.load32(address + BLOCK_TAG)) };
  };
  const lines = [lineOf(MORE), lineOf(HEAD_LINE)];
  return new PrimitiveErrors(
    {
      className: 'BoundedBuffer',
      late: isProducers ? 'had no room' : 'had no value',
      untouched: isProducers ? 'No value was put in.' : 'No value was taken.',
      noun: isProducers ? 'producer' : 'consumer',
      blame: () => [],
      // The head of the line is in the first line.
      lines: () => lines,
      state: (buffer) => `${plural(ahead(buffer, VALUES), 'value')} in it`,
    },
    ref,
  );
}
