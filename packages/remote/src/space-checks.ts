// The checks of names and options that the primitives of a space share.

import { checkInteger, checkWellFormed, MAX_PERMITS, show } from '@sluice/core/calls';
import type { FrontOptions } from './session/local-waiters.ts';

/** The options of a lock: see `RemoteSemaphoreOptions`. */
export interface RemoteLockOptions {
  readonly bypass?: number | undefined;
  readonly linger?: number | undefined;
}

const MAX_BYPASS = 1e9;
const MAX_NAME_BYTES = 200;

/** Returns the name if it can be part of a key. */
export function checkName(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError(`The name must be a string: received ${show(name)}`);
  const bytes = new TextEncoder().encode(name).length;
  if (bytes < 1 || bytes > MAX_NAME_BYTES)
    throw new RangeError(`The name must have 1 to ${MAX_NAME_BYTES} bytes of UTF-8: received ${bytes}`);
  return checkWellFormed('The name', name);
}

export function checkFront({ bypass, linger }: RemoteLockOptions, usual: FrontOptions): FrontOptions {
  return {
    bypass: bypass === undefined ? usual.bypass : checkInteger('bypass', bypass, 1, MAX_BYPASS),
    linger: linger === undefined ? usual.linger : checkInteger('linger', linger, 0, MAX_PERMITS),
  };
}
