import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { MAX_IN_WORD } from './tables/packed-statuses.mjs';
import { MAX_AT_MUTEX } from './tables/mutex-table.mjs';

export const HELP = `Usage: node src/main.mjs [options]

Dijkstra's dining philosophers, each a worker thread.

  --philosophers N   2 to ${MAX_IN_WORD}, with --solution mutex or forks to ${MAX_AT_MUTEX} (default: 5)
  --solution NAME    mutex, lock-reduced, or both, one after the other (default: both); or forks
  --meals N          how often each philosopher eats, 1 to 10000 (default: 20)
  --pace MS          the maximum time to think or to eat, 0 to 1000 (default: 20)
  --seed N           seed of these times, 0 to ${2 ** 32 - 1} (default: a random one, which is printed)
  --view             a page that shows the table's primitives as they live; its URL is printed
  --no-view          lines instead of the live view, as they are printed where there is no terminal
  --help             show this
`;

/** A mistake of the user: reported without a stack trace, exit code 2. */
export class UsageError extends Error {}

/** @type {Map<string, import('./dinner.mjs').Solution[]>} */
const SOLUTIONS = new Map([
  ['mutex', ['mutex']],
  ['lock-reduced', ['lock-reduced']],
  ['forks', ['forks']],
  ['both', ['mutex', 'lock-reduced']],
]);

/** @typedef {ReturnType<typeof readOptions>} Options */

/** @param {string[]} args */
export function readOptions(args) {
  const values = parse(args);
  const solutions = SOLUTIONS.get(values.solution);
  if (solutions === undefined) {
    throw new UsageError(
      `--solution must be mutex, lock-reduced, both or forks: received ${JSON.stringify(values.solution)}`,
    );
  }
  return {
    help: values.help,
    solutions,
    philosophers: readPhilosophers(values.philosophers, solutions),
    meals: readNumber('--meals', values.meals, 1, 10_000),
    pace: readNumber('--pace', values.pace, 0, 1000),
    seed: values.seed === undefined ? randomInt(2 ** 32) : readNumber('--seed', values.seed, 0, 2 ** 32 - 1),
    page: values.view,
    view: !values['no-view'],
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        philosophers: { type: 'string', default: '5' },
        solution: { type: 'string', default: 'both' },
        meals: { type: 'string', default: '20' },
        pace: { type: 'string', default: '20' },
        seed: { type: 'string' },
        view: { type: 'boolean', default: false },
        'no-view': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {string} text
 * @param {import('./dinner.mjs').Solution[]} solutions
 */
function readPhilosophers(text, solutions) {
  if (!solutions.includes('lock-reduced')) return readNumber('--philosophers', text, 2, MAX_AT_MUTEX);
  return readNumber('--philosophers', text, 2, MAX_IN_WORD, ` (to ${MAX_AT_MUTEX} with --solution mutex or forks)`);
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} least
 * @param {number} most
 */
function readNumber(name, text, least, most, hint = '') {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(
    `${name} must be a whole number from ${least} to ${most}${hint}: received ${JSON.stringify(text)}`,
  );
}
