// What a call says about a value that is no instance of the class that it needs.

import { show } from './check.ts';
import { MisuseError } from './errors.ts';

/**
 * Returns the error: `MisuseError` if the value is an instance of that class in another copy of the package, else `TypeError`.
 *
 * `kind`: that of its handles. A bundler may have renamed the class of the other copy, but not the kind. `expected`: what the call takes.
 */
export function wrongInstance(what: string, className: string, kind: string, value: unknown, expected = `a${className === 'Arena' ? 'n' : ''} ${className}`): Error {
  const { handle } = (value ?? {}) as { readonly handle?: { readonly kind?: unknown } | null };
  if (handle?.kind !== kind) return new TypeError(`${what} must be ${expected}: received ${show(value)}`);
  return new MisuseError(
    `${what} is a ${className} of another copy of Sluice, so this copy cannot use it. Nothing was changed. Load one copy: in one bundle, from one ` +
      `sluice.js, or from one folder of packages. Or open it here: ${className}.from(its.handle).`,
  );
}
