import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const KB = 1024;

export const HELP = `Usage: node src/main.mjs [options]

Adds up an access log: one thread reads it, others parse it, the main thread adds. Then one thread does it all, as a check.

  --size MB     the size of the log to create, 1 to 4096 (default: 64); kept in .cache for the next run
  --file PATH   your own log instead, in the common or the combined format
  --parsers N   how many threads parse, 1 to 64 (default: one per core)
  --block KB    the size of a block, the unit that is handed over, 4 to 1024 (default: 512)
  --buffer N    how many blocks may wait for a parser, 1 to 64 (default: 8)
  --rounds N    how often both kinds of passes run; the fastest counts, 1 to 20 (default: 3)
  --help        show this
`;

/** A mistake of the user: reported without a stack trace, exit code 2. */
export class UsageError extends Error {}

/** @typedef {ReturnType<typeof readOptions>} Options */

/** @param {string[]} args */
export function readOptions(args) {
  const values = parse(args);
  if (values.file !== undefined && values.size !== undefined) throw new UsageError('Either --file or --size: received both');
  return {
    help: values.help,
    file: values.file === undefined ? undefined : resolve(values.file),
    megabytes: readCount('--size', values.size, 1, 4096) ?? 64,
    parsers: readCount('--parsers', values.parsers, 1, 64) ?? availableParallelism(),
    blockBytes: KB * (readCount('--block', values.block, 4, 1024) ?? 512),
    buffer: readCount('--buffer', values.buffer, 1, 64) ?? 8,
    rounds: readCount('--rounds', values.rounds, 1, 20) ?? 3,
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        size: { type: 'string' },
        file: { type: 'string' },
        parsers: { type: 'string' },
        block: { type: 'string' },
        buffer: { type: 'string' },
        rounds: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {string} name
 * @param {string | undefined} text
 * @param {number} least
 * @param {number} most
 */
function readCount(name, text, least, most) {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= most) return count;
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}: received ${JSON.stringify(text)}`);
}
