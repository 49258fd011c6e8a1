// All printed output, except the progress. Its lines fit 80 columns, unless the name of a file is long.
import { availableParallelism, loadavg } from 'node:os';
import { inspect } from 'node:util';

const LABEL_WIDTH = 15;
const COLUMN_WIDTH = 10;
const MAX_NAMES = 20;
const BYTES_PER_MB = 1e6;

/**
 * @param {string} label
 * @param {string} text
 */
const row = (label, text) => console.log(`${label.padEnd(LABEL_WIDTH)} ${text}`);

/** @param {boolean} holds */
const verdict = (holds) => (holds ? 'ok' : 'FAILED');

/** @param {number} part */
const percent = (part) => `${Math.round(100 * part)} %`;

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / BYTES_PER_MB).toFixed(1)} MB`;

/**
 * @param {number} count
 * @param {string} noun
 */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * @param {string} label
 * @param {{ path: Buffer | undefined, why: string }[]} files
 */
function names(label, files) {
  if (files.length === 0) return;
  row(label, `${files.length}`);
  for (const { path, why } of files.slice(0, MAX_NAMES)) {
    // `inspect` escapes characters that would move the cursor or change colours.
    console.log(`  ${why.padEnd(LABEL_WIDTH - 2)} ${inspect(String(path))}`);
  }
  if (files.length > MAX_NAMES) console.log(`  and ${files.length - MAX_NAMES} more`);
}

/**
 * @param {string} directory
 * @param {import('./list-files.mjs').Listing} listing
 * @param {number} total
 * @param {number} workers
 * @param {boolean} kill
 */
export function header(directory, { files, links, others }, total, workers, kill) {
  row('directory', inspect(directory));
  row(
    'files',
    `${files.length}, ${megabytes(total)} (left out: ${counted(links, 'symbolic link')}, ${counted(others, 'special file')})`,
  );
  row('workers', `${workers}${kill ? '; one of them is killed on the way (--no-kill: none)' : ''}`);
}

/**
 * @param {import('./together.mjs').Together} pass
 * @param {number} listed
 */
export function totals({ results, killed }, listed) {
  if (results.missing > 0) row('interrupted', `${results.missing} of ${listed} files not looked at, partial totals:`);
  const share = results.bytes === 0 ? '' : ` (${percent(results.bytesPacked / results.bytes)})`;
  row(
    'packed',
    `${counted(results.files, 'file')}, ${megabytes(results.bytes)} to ${megabytes(results.bytesPacked)}${share}`,
  );
  for (const [thread, count] of results.byThread()) {
    row(`  worker ${thread}`, `${counted(count, 'file')}${thread === killed ? ' before it was killed' : ''}`);
  }
}

/**
 * @param {import('./together.mjs').Together} pass
 * @param {boolean} complete
 * @param {boolean} interrupted
 */
export function kill({ results, killed, killedAt, replaced }, complete, interrupted) {
  if (killed === undefined) return;
  row('killed', `worker ${killed} in the middle of a batch, at ${percent(killedAt)}`);
  row('', `another worker took its place: ${verdict(replaced > 0)}`);
  if (interrupted) return;
  row('', `its batch ran again, and ${counted(results.repeated, 'result')} came twice`);
  row('', `no file is lost or counted twice: ${verdict(complete)}`);
}

/**
 * @param {import('./list-files.mjs').Listing} listing
 * @param {import('./results.mjs').Results} results
 */
export function skipped({ files, unreadable }, results) {
  const failed = files.map(({ path }, index) => ({ path, why: results.failure(index) ?? '' }));
  names('skipped', [...unreadable, ...failed.filter(({ why }) => why !== '')]);
}

/** @param {string} digestOfDigests */
export function digest(digestOfDigests) {
  row('digest', digestOfDigests);
}

/**
 * @param {Buffer[]} paths
 * @param {Awaited<ReturnType<typeof import('./compare.mjs').compare>>} comparison
 */
export function comparison(paths, { changed, different, digest: first, same }) {
  names(
    'changed',
    changed.map((index) => ({ path: paths[index], why: 'during the run' })),
  );
  names(
    'different',
    different.map((index) => ({ path: paths[index], why: 'FAILED' })),
  );
  digest(first);
  row('one thread', `gives ${same ? 'the same' : 'another'} digest: ${verdict(same)}`);
}

/**
 * @typedef {{ results: import('./results.mjs').Results, seconds: number, cpuSeconds: number, killed?: number |
 *   undefined }} Pass
 */

/**
 * Prints the gain of several threads. The fastest pass of each kind shows the speed of the machine when no other
 * program uses it.
 * @param {Pass[]} alone
 * @param {Pass[]} together
 * @param {number} workers
 */
export function gain(alone, together, workers) {
  const [slow, fast] = [fastest(alone), fastest(together)];
  if (slow.results.bytes === 0) return;
  console.log();
  console.log(['', 'passes', 'fastest', 'MB/s', 'CPU time', 'killed', 'lost'].map(column).join('').trimEnd());
  const threads = workers === 1 ? '1 worker' : `${workers} workers`;
  for (const [label, passes, best] of /** @type {const} */ ([
    ['one thread', alone, slow],
    [threads, together, fast],
  ])) {
    const killed = passes.filter((pass) => pass.killed !== undefined).length;
    const lost = passes.reduce((sum, { results }) => sum + results.missing, 0);
    const rate = (best.results.bytes / BYTES_PER_MB / best.seconds).toFixed(0);
    const figures = [
      passes.length,
      `${best.seconds.toFixed(2)} s`,
      rate,
      `${best.cpuSeconds.toFixed(2)} s`,
      killed,
      lost,
    ];
    console.log([label, ...figures.map(String)].map(column).join('').trimEnd());
  }
  const killed = fast.killed === undefined ? '' : '; one was killed';
  row('gain', `${threads}: ${(slow.seconds / fast.seconds).toFixed(2)} times as fast as one thread${killed}`);
  for (const line of whySoLittle(slow, fast, workers, { cores: availableParallelism(), load: loadavg()[0] ?? 0 }))
    row('', line);
}

/** A pass lacks cores if its workers got less than this part of the processor time that they could use. */
const ENOUGH_CORES = 0.8;

/**
 * Why the workers gained less than they could, if they lacked processor time. `load`: how many threads of all programs
 * wanted to run in the last minute.
 * @param {Pick<Pass, 'seconds' | 'cpuSeconds'>} slow
 * @param {Pick<Pass, 'seconds' | 'cpuSeconds'>} fast
 * @param {number} workers
 * @param {{ cores: number, load: number }} machine
 * @returns {string[]} lines
 */
export function whySoLittle(slow, fast, workers, { cores, load }) {
  const usable = Math.min(workers, cores);
  const got = fast.cpuSeconds / fast.seconds;
  if (workers === 1 || got >= ENOUGH_CORES * usable) return [];
  const reason =
    load > cores ? `other programs keep it busy (load ${load.toFixed(1)})` : 'they waited for files or other programs';
  const idle = (slow.cpuSeconds * usable) / fast.cpuSeconds;
  return [
    `had ${got.toFixed(1)} of ${usable} cores; ${reason}`,
    `by the CPU times, ${usable} idle cores allow ${idle.toFixed(2)} times`,
  ];
}

/** @param {Pass[]} passes at least one */
function fastest(passes) {
  return passes.reduce((best, pass) => (pass.seconds < best.seconds ? pass : best));
}

/**
 * @param {string} text
 * @param {number} at the number of the column
 */
function column(text, at) {
  return at === 0 ? text.padEnd(LABEL_WIDTH) : text.padStart(COLUMN_WIDTH);
}

/** @param {string} what */
export function interrupted(what) {
  row('interrupted', what);
}
