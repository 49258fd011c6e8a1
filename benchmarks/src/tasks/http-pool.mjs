// @ts-check
import { pbkdf2Sync } from 'node:crypto';

/**
 * The work of one request: so many rounds of a hash. A number of rounds, not a time: a task that shares its core with
 * others takes longer, as in a real server.
 * @param {number} rounds
 */
export function hash(rounds) {
  return pbkdf2Sync('password', 'salt', rounds, 32, 'sha256').toString('hex');
}
