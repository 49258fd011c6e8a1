import { parseArgs } from 'node:util';
import { LOCKS } from './job.mjs';

const MAX_BYPASS_LIMIT = 2 ** 31 - 1;

export const HELP = `Usage: node src/main.mjs [options]

The same contended job at a bare lock and behind capacitors, with a live bar for each worker.

  --workers N     how many threads contend for the lock, 1 to 64 (default: 8)
  --seconds S     how long each run lasts, 0.1 to 60 (default: 3)
  --lock NAME     ${Object.keys(LOCKS).join(', ')} (default: tts)
  --bypass-limit  one or more values, separated by commas: a number from 1 on, or adaptive (default: 1000,adaptive)
  --view          a page that shows the locks, the capacitors and the workers as they live; its URL is printed
  --no-bars       lines instead of bars, as they are printed where there is no terminal
  --help          show this
`;

/** A mistake of the user: reported without a stack trace, exit code 2. */
export class UsageError extends Error {}

/** @typedef {ReturnType<typeof readOptions>} Options */
/** @typedef {'bare' | 'adaptive' | number} Wrapping */

/** @param {string[]} args */
export function readOptions(args) {
  const values = parse(args);
  return {
    help: values.help,
    workers: Math.trunc(readNumber('--workers', values.workers, 1, 64, /^\d+$/)),
    seconds: readNumber('--seconds', values.seconds, 0.1, 60, /^\d+(\.\d+)?$/),
    lock: readLock(values.lock),
    ways: /** @type {Wrapping[]} */ (['bare', ...values['bypass-limit'].split(',').map(readLimit)]),
    bars: !values['no-bars'],
    view: values.view,
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        workers: { type: 'string', default: '8' },
        seconds: { type: 'string', default: '3' },
        lock: { type: 'string', default: 'tts' },
        'bypass-limit': { type: 'string', default: '1000,adaptive' },
        view: { type: 'boolean', default: false },
        'no-bars': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} text */
function readLock(text) {
  if (Object.hasOwn(LOCKS, text)) return /** @type {keyof typeof LOCKS} */ (text);
  throw new UsageError(`--lock must be one of ${Object.keys(LOCKS).join(', ')}: received ${JSON.stringify(text)}`);
}

/**
 * @param {string} text
 * @returns {Wrapping}
 */
function readLimit(text) {
  return text === 'adaptive' ? text : readNumber('--bypass-limit', text, 1, MAX_BYPASS_LIMIT, /^\d+$/);
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} least
 * @param {number} most
 * @param {RegExp} form
 */
function readNumber(name, text, least, most, form) {
  const number = Number(text);
  if (form.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`${name} must be a number from ${least} to ${most}: received ${JSON.stringify(text)}`);
}
