// @ts-check
// How much a run does. `npm test -- --full` and the soak run at full depth. `npm test` leaves out the tests of long-tests.mjs, so that it ends in minutes: it still kills
// every mutant.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LONG_TESTS } from './long-tests.mjs';

/** @typedef {import('./long-tests.mjs').LongTests} LongTests */

/** @param {string} name */
const escaped = (name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @param {LongTests} tests */
const pattern = ({ begin, names }) => `${begin === undefined ? '.*' : escaped(begin)}(?:${names.map(escaped).join('|')})`;

/** Matches the names of all tests that a short run takes. */
export const SHORT_RUN = new RegExp(`^(?!(?:${LONG_TESTS.map(pattern).join('|')})$)`);

/**
 * The listed tests that do not exist: they were renamed or deleted. `met`: the full names of all tests by file, those that were left out among them.
 * Of a file that the run did not take, only its existence is checked. A package that was deleted took its files with it.
 * @param {string} root
 * @param {ReadonlyMap<string, readonly string[]>} met
 * @param {readonly LongTests[]} [tests]
 */
export function unknownTests(root, met, tests = LONG_TESTS) {
  return tests.flatMap(({ file, begin, names }) => {
    const there = met.get(file);
    if (there === undefined) return isGone(root, file) ? [`${file}: there is no such file`] : [];
    /** @param {string} name */
    const isThere = (name) => there.some((full) => (begin === undefined ? full.endsWith(name) : full === begin + name));
    return names.filter((name) => !isThere(name)).map((name) => `${file}: no test '${begin ?? '…'}${name}'`);
  });
}

/** @param {string} root @param {string} file */
function isGone(root, file) {
  const [folder = '', name = ''] = file.split('/');
  return existsSync(join(root, folder, name)) && !existsSync(join(root, file));
}
