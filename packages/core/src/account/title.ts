// How messages name a primitive.

import { printable } from '../api/wording.ts';
import { readName } from '../memory/name.ts';
import { BLOCK_TAG } from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';

/** Where a primitive lies, as far as its title needs it. */
interface Placed {
  readonly context: { readonly words: Words };
  readonly address: number;
  readonly tag: number;
  /** The name from `create`. */
  readonly name?: string | undefined;
}

/** "Mutex 'accounts'", or the address if it has no name. Never throws: the memory may be another primitive's by now. */
export function titleOf(className: string, { context: { words }, address, tag, name: given = '' }: Placed): string {
  try {
    if (Math.abs(words.load32(address + BLOCK_TAG)) !== tag)
      return `${className}${given === '' ? '' : ` '${printable(given)}'`} (freed)`;
    const name = readName(words, address);
    return name === '' ? `${className} at address ${address}` : `${className} '${printable(name)}'`;
  } catch {
    return className;
  }
}
