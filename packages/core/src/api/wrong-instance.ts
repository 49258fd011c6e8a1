// The error for an argument that is not an instance of the class that the call needs.

import { show } from './check.ts';
import { MisuseError } from './errors.ts';

/**
 * Returns the error: `MisuseError` if the value is an instance of that class in another copy of the package, else
 * `TypeError`.
 *
 * `kind`: that of its handles. A bundler may have renamed the class of the other copy, but not the kind. `expected`:
 * what the call takes.
 */
export function wrongInstance(
  what: string,
  className: string,
  kind: string,
  value: unknown,
  expected = className,
): Error {
  if ((value as { readonly handle?: { readonly kind?: unknown } | null } | null | undefined)?.handle?.kind !== kind) {
    return new TypeError(
      `${what} must be a${/^[AEIO]/.test(expected) ? 'n' : ''} ${expected}: received ${show(value)}`,
    );
  }
  return new MisuseError(
    `${what} is of another copy of Sluice. Nothing was changed. Load one copy (one bundle, one sluice.js, one folder of packages), or open it ` +
      `here: ${className}.from(its.handle).`,
  );
}
