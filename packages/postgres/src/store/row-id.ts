// The ids of rows of primitives. An index takes at most a third of a page for an entry, and the key of a keyed mutex
// may be longer. So a long name has the row of its hash.

import { createHash } from 'node:crypto';
import { plainOf } from '../sql/quote.ts';

const LONGEST = 400;
/** No name begins with it. */
const HASH = '#';

/** Returns the id of the row, and the name if the id does not say it. Both are ASCII. */
export function rowIdOf(name: string): { readonly id: string; readonly long: string | undefined } {
  const plain = plainOf(name);
  if (plain.length <= LONGEST) return { id: plain, long: undefined };
  return { id: HASH + createHash('sha256').update(plain).digest('hex'), long: plain };
}
