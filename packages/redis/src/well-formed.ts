// Text that the server keeps as UTF-8.

import { show } from '@sluice/core/internal';

/** Throws `RangeError` for text with half of a surrogate pair: as UTF-8 two such texts could be the same. */
export function checkWellFormed(what: string, text: string): string {
  if (/[\uD800-\uDFFF]/u.test(text)) throw new RangeError(`${what} must be well-formed Unicode: received ${show(text)}, with half of a surrogate pair`);
  return text;
}
