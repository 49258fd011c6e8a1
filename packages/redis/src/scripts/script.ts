// The one script that the server runs, joined from its parts.

import { CLOCK } from './lease-clock.ts';
import { KEYS } from './keys.ts';
import { LINE } from './permit-line.ts';
import { OPERATIONS } from './operations.ts';
import { SESSIONS } from './sessions.ts';
import { ROUNDS } from './rounds.ts';
import { FAST_ACQUIRE, FAST_RELEASE } from './fast-paths.ts';

/** The version of the data that the script stores. Processes with different versions cannot share a namespace. */
export const FORMAT = '3';

/** KEYS: the namespace's base, whose hash tag is in all keys and channels, and the namespace's clock. */
const START = `
local call = redis.call
local base, T = KEYS[1], KEYS[2]
`;

/** The source that EVAL sends. */
export const SCRIPT = [START, FAST_RELEASE, CLOCK, FAST_ACQUIRE, LINE, KEYS, ROUNDS, SESSIONS, OPERATIONS].join('');

let hash: Promise<string> | undefined;

/** Returns the hash by which EVALSHA names the script. */
export function scriptHash(): Promise<string> {
  hash ??= crypto.subtle
    .digest('SHA-1', new TextEncoder().encode(SCRIPT))
    .then((bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join(''));
  return hash;
}
