import { parseArgs } from 'node:util';

export const HELP = `Usage: node src/main.mjs [options]

Several workers make requests to one server: first each with a p-limit of its own, then all through one limit.

  --workers N    1 to 32 (default: 4)
  --limit N      how many requests at a time: of each worker, then of all together, 1 to 100 (default: 5)
  --requests N   of each worker, 1 to 10000 (default: 50)
  --delay MS     how long the server takes for one, 0 to 10000 (default: 20)
  --help         show this
`;

/** A mistake of the user: reported without a stack trace, exit code 2. */
export class UsageError extends Error {}

/** @typedef {ReturnType<typeof readOptions>} Options */

/** @param {string[]} args */
export function readOptions(args) {
  const values = parse(args);
  return {
    help: values.help,
    workers: readCount('--workers', values.workers, 1, 32),
    limit: readCount('--limit', values.limit, 1, 100),
    requests: readCount('--requests', values.requests, 1, 10_000),
    delay: readCount('--delay', values.delay, 0, 10_000),
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        workers: { type: 'string', default: '4' },
        limit: { type: 'string', default: '5' },
        requests: { type: 'string', default: '50' },
        delay: { type: 'string', default: '20' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} least
 * @param {number} most
 */
function readCount(name, text, least, most) {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= most) return count;
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}: received ${JSON.stringify(text)}`);
}
