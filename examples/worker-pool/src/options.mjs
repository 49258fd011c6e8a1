import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { VIEWS } from './mandelbrot.mjs';

const MIN_SIZE = 16;
const MAX_SIZE = 8192;

export const HELP = `Usage: node src/main.mjs [options]

Computes a picture of the Mandelbrot set in tiles, on a pool of workers, and writes it as a PNG.

  --size WxH        pixels, ${MIN_SIZE} to ${MAX_SIZE} each (default: 1200x800)
  --tile N          the side of a tile in pixels, 8 to 512 (default: 64)
  --workers N       1 to 64 (default: one per core)
  --view NAME       ${Object.keys(VIEWS).join(', ')} (default: seahorses)
  --iterations N    after how many steps a point counts as inside, 10 to 100000 (default: 2000)
  --kill N          how many times a busy worker is killed during the run, 0 to 64 (default: 0)
  --out PATH        the picture (default: .cache/mandelbrot.png)
  --no-verify       leave out the pass on one thread that the picture is checked against
  --help            show this
`;

/** A mistake of the user: reported without a stack trace, exit code 2. */
export class UsageError extends Error {}

/** @typedef {ReturnType<typeof readOptions>} Options */

/** @param {string[]} args */
export function readOptions(args) {
  const values = parse(args);
  return {
    help: values.help,
    ...readSize(values.size),
    tile: readCount('--tile', values.tile, 8, 512) ?? 64,
    workers: readCount('--workers', values.workers, 1, 64) ?? availableParallelism(),
    view: readView(values.view),
    iterations: readCount('--iterations', values.iterations, 10, 100_000) ?? 2000,
    kill: readCount('--kill', values.kill, 0, 64) ?? 0,
    out:
      values.out === undefined
        ? fileURLToPath(new URL('../.cache/mandelbrot.png', import.meta.url))
        : resolve(values.out),
    verify: !values['no-verify'],
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        size: { type: 'string', default: '1200x800' },
        tile: { type: 'string' },
        workers: { type: 'string' },
        view: { type: 'string', default: 'seahorses' },
        iterations: { type: 'string' },
        kill: { type: 'string' },
        out: { type: 'string' },
        'no-verify': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} text */
function readSize(text) {
  const [width = 0, height = 0] = (/^(\d+)x(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (Math.min(width, height) >= MIN_SIZE && Math.max(width, height) <= MAX_SIZE) return { width, height };
  const form = `two numbers from ${MIN_SIZE} to ${MAX_SIZE}, as in 1200x800`;
  throw new UsageError(`--size must be ${form}: received ${JSON.stringify(text)}`);
}

/** @param {string} text */
function readView(text) {
  if (Object.hasOwn(VIEWS, text)) return /** @type {keyof typeof VIEWS} */ (text);
  throw new UsageError(`--view must be one of ${Object.keys(VIEWS).join(', ')}: received ${JSON.stringify(text)}`);
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
