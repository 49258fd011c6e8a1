// The text that `console.log` shows for an instance: one line, such as "Mutex { name: 'accounts', owner: 3, waiting: 2
// }".

import { printable } from './wording.ts';
import { HAS_LEFT, type SluiceErrorCode } from './errors.ts';
import { isError } from '../platform/realm.ts';

/** The key of the method that consoles call. Node.js defines it; Bun and Deno support it. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Formats the fields that `look` returns; omits those that are `undefined` or ''. Never throws, even if the primitive
 * was freed.
 */
export function consoleText(className: string, look: () => Readonly<Record<string, unknown>>): string {
  try {
    const fields = Object.entries(look()).filter(([, value]) => value !== undefined && value !== '');
    return `${className} { ${fields.map(([name, value]) => `${name}: ${shown(value)}`).join(', ')} }`;
  } catch (failure) {
    return `${className} { ${stateAfter(failure)}: true }`;
  }
}

function stateAfter(failure: unknown): string {
  if (
    !isError(failure) ||
    (failure as { readonly code?: unknown }).code !== ('SLUICE_MISUSE' satisfies SluiceErrorCode)
  )
    return 'unknown';
  return failure.message.includes(HAS_LEFT) ? 'left' : 'freed';
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  const text = printable(value);
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text}'`;
}
