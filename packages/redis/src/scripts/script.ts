// The one script that the server runs, made of its parts.

import { CLOCK } from './clock.ts';
import { LINE } from './line.ts';
import { OPERATIONS } from './operations.ts';
import { SESSIONS } from './sessions.ts';

/** The version of what the script stores. Processes with different versions cannot share a namespace. */
export const FORMAT = '1';

/** The source that EVAL sends. The first key of a call is the namespace's base: all keys and channels have its hash tag. */
export const SCRIPT = [CLOCK, LINE, SESSIONS, OPERATIONS].join('');

let hash: Promise<string> | undefined;

/** The hash by which EVALSHA names the script. */
export function scriptHash(): Promise<string> {
  hash ??= crypto.subtle.digest('SHA-1', new TextEncoder().encode(SCRIPT)).then((bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join(''));
  return hash;
}
