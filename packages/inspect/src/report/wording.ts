// How reports name primitives and durations.

import { duration, printable } from '@sluice/core/calls';

/** A primitive as a report names it. */
export interface Named {
  readonly kind: string;
  readonly name: string;
  readonly address: number;
}

/** "lock 'accounts'", "semaphore at address 4096". A wait on a condition is at no primitive. */
export function nameOf({ kind, name, address }: Named): string {
  if (address === 0) return `a ${kind}`;
  return name === '' ? `${kind} at address ${address}` : `${kind} '${printable(name)}'`;
}

/** " for 2.1 s". */
export function forText(ms: number): string {
  return ` for ${duration(ms)}`;
}
