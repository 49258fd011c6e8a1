// Loads the packages by name: on Node.js, Bun and Deno.

import { createRequire } from 'node:module';
import type { Load } from '../tools.ts';

const require = createRequire(import.meta.url);

/** `cjs`: what `require` finds. `esm`: what `import` finds. */
export function loaderOf(build: string): Load {
  // What has only one form is loaded in that one.
  const isCommonJs = (entry: string): boolean => build === 'cjs' && !entry.endsWith('.js');
  return (entry) => (isCommonJs(entry) ? Promise.resolve(require(entry) as unknown) : import(entry));
}
