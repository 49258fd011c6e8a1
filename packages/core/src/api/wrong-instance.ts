// The error for an argument that is not an instance of the class that the call needs.

import { show } from './check.ts';
import { MisuseError } from './errors.ts';

/**
 * Returns the error. It is a `MisuseError` if the value is an instance of that class from another copy of the package,
 * and a `TypeError` otherwise.
 *
 * `kind` is the kind of the class's handles: a bundler may rename the class of the other copy, but not the kind.
 * `expected` names the argument that the call takes.
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
