import { parseArgs } from 'node:util';

export const HELP = `Usage: node src/main.mjs [options]

Gosper's glider gun, computed by several workers that wait for each other after each generation.

  --workers N       1 to 32 (default: 4)
  --generations N   a multiple of 30, 30 to 300 (default: 300)
  --help            show this`;

/** A mistake of the user: reported without a stack trace, exit code 2. */
export class UsageError extends Error {}

/** @param {string[]} args */
export function readOptions(args) {
  const { workers, generations, help } = parse(args);
  const options = {
    workers: readCount('--workers', workers, 1, 32),
    generations: readCount('--generations', generations, 30, 300),
    help,
  };
  if (options.generations % 30 !== 0)
    throw new UsageError(`--generations must be a multiple of 30: received ${generations}`);
  return options;
}

/** @param {string[]} args */
function parse(args) {
  const text = /** @type {const} */ ('string');
  try {
    return parseArgs({
      args,
      options: {
        workers: { type: text, default: '4' },
        generations: { type: text, default: '300' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} name @param {string} text @param {number} least @param {number} most */
function readCount(name, text, least, most) {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= most) return count;
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}: received ${text}`);
}
