// What `console.log` shows of an instance: one line, as "Mutex { name: 'accounts', owner: 3, waiting: 2 }".

import { printable } from './account/title.ts';
import { HAS_LEFT, hasCode } from './errors.ts';

/** The name of the method that consoles call: defined by Node.js, understood by Bun and Deno. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** `look`: what is worth a line; fields that are undefined or '' are left out. Never throws, also when the primitive was freed. */
export function oneLine(className: string, look: () => Readonly<Record<string, unknown>>): string {
  try {
    const fields = Object.entries(look()).filter(([, value]) => value !== undefined && value !== '');
    return `${className} { ${fields.map(([name, value]) => `${name}: ${shown(value)}`).join(', ')} }`;
  } catch (failure) {
    return `${className} { ${stateAfter(failure)}: true }`;
  }
}

function stateAfter(failure: unknown): string {
  if (!hasCode(failure, 'SLUICE_MISUSE')) return 'unknown';
  return failure.message.includes(HAS_LEFT) ? 'left' : 'freed';
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  const text = printable(value);
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text}'`;
}
