// How messages name a primitive.

import { printable } from '../api/wording.ts';
import { readName } from '../memory/name.ts';
import { isInUse } from '../memory/heap.ts';
import type { Words } from '../kernel/words.ts';

/** The part of a primitive's place that its title needs. */
interface Placed {
  readonly context: { readonly words: Words };
  readonly address: number;
  readonly tag: number;
  /** The name from `create`. */
  readonly name?: string | undefined;
}

/**
 * Returns a title such as "Mutex 'accounts'", or the address if there is no name. Never throws, even if another
 * primitive has reused the memory.
 */
export function titleOf(className: string, { context: { words }, address, tag, name: given = '' }: Placed): string {
  try {
    if (!isInUse(words, address, tag)) return `${className}${given === '' ? '' : ` '${printable(given)}'`} (freed)`;
    const name = readName(words, address);
    return name === '' ? `${className} at address ${address}` : `${className} '${printable(name)}'`;
  } catch {
    return className;
  }
}
