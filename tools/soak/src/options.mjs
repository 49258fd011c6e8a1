// @ts-check
import { parseArgs } from 'node:util';

export const PROFILES = /** @type {const} */ (['all', 'places-and-turns']);
/** @typedef {typeof PROFILES[number]} Profile */

/**
 * @typedef {object} Options
 * @property {Profile} profile
 * @property {number} minutes the run ends then, if not before
 * @property {readonly string[]} primitives none: all of the profile
 * @property {number} seed
 * @property {number} workers
 * @property {number} killEvery ms between two kills, on average
 * @property {number} kills the run goes on until there were so many
 * @property {number} giveUps the same
 * @property {string} results folder for the results
 * @property {boolean} page writes the page from the results that are there, and runs nothing
 * @property {boolean} help
 */

export const HELP = `Usage: npm run soak -- [options]

Keeps all primitives under load, kills workers at random and replaces them, and checks that nothing is lost and that memory stays flat.

  --minutes N         how long (default: 60)
  --primitives A,B    only these primitives or packages, such as Mutex,rw-lock (default: all)
  --profile NAME      all, or places-and-turns: waits that give up and workers that are killed, at primitives with lines and turns,
                      until there were 5,000 kills and 10,000,000 waits that gave up
  --seed N            of the random choices (default: drawn)
  --workers N         1 to 15 (default: 4)
  --kill-every MS     between two kills, on average (default: 500; places-and-turns: 250)
  --kills N           places-and-turns: the kills after which it may end
  --give-ups N        places-and-turns: the waits that gave up after which it may end
  --results DIR       where the results are written (default: tools/soak/results)
  --page              writes docs/soak.md from the results that are there, and runs nothing
  --help              shows this
`;

/**
 * Throws `TypeError` or `RangeError` for wrong options.
 * @param {readonly string[]} args
 * @param {string} results the default
 * @returns {Options}
 */
export function readOptions(args, results) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: text,
      primitives: text,
      profile: text,
      seed: text,
      workers: text,
      'kill-every': text,
      kills: text,
      'give-ups': text,
      results: text,
      page: flag,
      help: flag,
    },
  });
  const profile = PROFILES.find((name) => name === (values.profile ?? 'all'));
  if (profile === undefined)
    throw new RangeError(`--profile must be ${PROFILES.join(' or ')}: received ${values.profile}`);
  const isStorm = profile === 'places-and-turns';
  if (!isStorm && (values.kills !== undefined || values['give-ups'] !== undefined))
    throw new TypeError('--kills and --give-ups need --profile places-and-turns');
  return {
    profile,
    minutes: numberOf('minutes', values.minutes, 60, 0.01, 10_000),
    primitives: (values.primitives ?? '').split(',').filter((name) => name !== ''),
    seed: wholeOf('seed', values.seed, Math.floor(Math.random() * 2 ** 31), 0, 2 ** 31 - 1),
    workers: wholeOf('workers', values.workers, 4, 1, 15),
    killEvery: numberOf('kill-every', values['kill-every'], isStorm ? 250 : 500, 1, 3_600_000),
    kills: wholeOf('kills', values.kills, isStorm ? 5000 : 0, 0, 1e9),
    giveUps: wholeOf('give-ups', values['give-ups'], isStorm ? 10_000_000 : 0, 0, 1e12),
    results: values.results ?? results,
    page: values.page,
    help: values.help,
  };
}

/**
 * @param {string} name
 * @param {string | undefined} given
 * @param {number} otherwise
 * @param {number} least
 * @param {number} most
 */
function numberOf(name, given, otherwise, least, most) {
  if (given === undefined) return otherwise;
  const value = given.trim() === '' ? NaN : Number(given);
  if (!(value >= least && value <= most))
    throw new RangeError(`--${name} must be a number from ${least} to ${most}: received ${given}`);
  return value;
}

/**
 * @param {string} name
 * @param {string | undefined} given
 * @param {number} otherwise
 * @param {number} least
 * @param {number} most
 */
function wholeOf(name, given, otherwise, least, most) {
  const value = numberOf(name, given, otherwise, least, most);
  if (!Number.isInteger(value)) throw new RangeError(`--${name} must be a whole number: received ${given}`);
  return value;
}
