// The one script that the server runs, made of its parts.

import { CLOCK } from './clock.ts';
import { KEYS } from './keys.ts';
import { LINE } from './line.ts';
import { OPERATIONS } from './operations.ts';
import { SESSIONS } from './sessions.ts';
import { ROUNDS } from './rounds.ts';
import { FAST_ACQUIRE, FAST_RELEASE } from './fast.ts';

/** The version of what the script stores. Processes with different versions cannot share a namespace. */
export const FORMAT = '3';

/** KEYS: the namespace's base, whose hash tag all keys and channels have, and its clock. */
const START = `
local call = redis.call
local base, T = KEYS[1], KEYS[2]
`;

/** The source that EVAL sends. */
export const SCRIPT = [START, FAST_RELEASE, CLOCK, FAST_ACQUIRE, LINE, KEYS, ROUNDS, SESSIONS, OPERATIONS].join('');

let hash: Promise<string> | undefined;

/** The hash by which EVALSHA names the script. */
export function scriptHash(): Promise<string> {
  hash ??= crypto.subtle
    .digest('SHA-1', new TextEncoder().encode(SCRIPT))
    .then((bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join(''));
  return hash;
}
