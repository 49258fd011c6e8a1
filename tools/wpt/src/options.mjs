// @ts-check
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Whose lock manager the tests get. @typedef {'sluice' | 'node'} LocksOf */

/**
 * @typedef {object} Options
 * @property {string} from the folder of test files
 * @property {LocksOf} locks
 * @property {readonly string[]} names files whose name contains one of them; none: all
 * @property {number} seconds the most that a file may take in one scope
 * @property {boolean} help
 */

export const HELP = `Usage: npm run test:wpt -- --from FOLDER [options] [NAME…]

Runs files of web-platform-tests. FOLDER is one folder of a checkout, such as wpt/web-locks. Each file runs in the main thread of a process of its
own, as a window, and in a worker thread of another one. navigator.locks is a LockManager of @sluice/named.

  NAME             only files whose name contains it
  --locks node     navigator.locks of Node.js 24 instead: a check of this runner
  --seconds N      the most that a file may take (default: 60)
  --help           shows this
`;

/**
 * Throws `TypeError` or `RangeError` for wrong options.
 * @param {readonly string[]} args
 * @returns {Options}
 */
export function readOptions(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      from: text,
      locks: { ...text, default: 'sluice' },
      seconds: { ...text, default: '60' },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const { locks, help } = values;
  if (locks !== 'sluice' && locks !== 'node') throw new RangeError(`--locks must be sluice or node: received ${locks}`);
  const seconds = values.seconds.trim() === '' ? NaN : Number(values.seconds);
  if (!(seconds >= 1 && seconds <= 3600))
    throw new RangeError(`--seconds must be a number from 1 to 3600: received ${values.seconds}`);
  if (help) return { from: '', locks, names: positionals, seconds, help };
  if (values.from === undefined) throw new TypeError('--from is missing: the folder of the test files');
  const from = resolve(values.from);
  if (statSync(from, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new RangeError(`--from must be a folder: received ${values.from}`);
  return { from, locks, names: positionals, seconds, help };
}
