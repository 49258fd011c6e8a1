import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const HELP = `Usage: npm start [-- [options] [DIRECTORY]]

Compresses and hashes every file below DIRECTORY (default: this repository) on a
pool of workers. In the middle of the work one worker is killed, and nothing is
lost.

  --workers N      worker threads, 1 to 256 (default: one per core)
  --no-kill        kill no worker (default: --kill)
  --out DIRECTORY  write each file, compressed, to DIRECTORY/<SHA-256>.gz, named by
                   its content (default: write nothing)
  --no-verify      leave out the passes on one thread, with which the result and
                   the time are compared
  --view           a page that shows the buffer and the workers as they live; its URL
                   is printed
  --help           show this
`;

/** A mistake of the user: reported without a stack trace, exit code 2. */
export class UsageError extends Error {}

/** @param {string[]} args */
export function readOptions(args) {
  const { values, positionals } = parse(args);
  if (positionals.length > 1) throw new UsageError(`One directory at a time: received ${positionals.join(' ')}`);
  return {
    help: values.help,
    directory: resolve(positionals[0] ?? fileURLToPath(new URL('../../..', import.meta.url))),
    workers: readCount('--workers', values.workers, 256) ?? availableParallelism(),
    kill: values.kill && !values['no-kill'],
    out: values.out === undefined ? undefined : resolve(values.out),
    verify: !values['no-verify'],
    view: values.view,
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        workers: { type: 'string' },
        kill: { type: 'boolean', default: true },
        'no-kill': { type: 'boolean', default: false },
        out: { type: 'string' },
        'no-verify': { type: 'boolean', default: false },
        view: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {string} name
 * @param {string | undefined} text
 * @param {number} most
 */
function readCount(name, text, most) {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= most) return count;
  throw new UsageError(`${name} must be a whole number from 1 to ${most}: received ${JSON.stringify(text)}`);
}
