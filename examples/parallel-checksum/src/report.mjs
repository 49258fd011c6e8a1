// All printed output, except the progress.
import { inspect } from 'node:util';

const LABEL_WIDTH = 15;
const MOST_NAMES = 20;

/**
 * @param {string} label
 * @param {string} text
 */
const row = (label, text) => console.log(`${label.padEnd(LABEL_WIDTH)} ${text}`);

/** @param {boolean} holds */
const verdict = (holds) => (holds ? 'ok' : 'FAILED');

/**
 * @param {string} label
 * @param {{ path: Buffer | undefined, why: string }[]} files
 */
function names(label, files) {
  if (files.length === 0) return;
  row(label, `${files.length}`);
  for (const { path, why } of files.slice(0, MOST_NAMES)) {
    // `inspect` escapes characters that would move the cursor or change colours.
    console.log(`  ${why.padEnd(LABEL_WIDTH - 2)} ${inspect(String(path))}`);
  }
  if (files.length > MOST_NAMES) console.log(`  and ${files.length - MOST_NAMES} more`);
}

/**
 * @param {string} directory
 * @param {import('./list-files.mjs').Listing} listing
 * @param {number} workers
 * @param {number} limit
 */
export function header(directory, { paths, links, others }, workers, limit) {
  const leftOut = `${links} symbolic links, ${others} special files`;
  console.log(`${inspect(directory)}: ${paths.length} files (left out: ${leftOut})`);
  console.log(`workers: ${workers} and the main thread, at most ${limit} files open at once`);
}

/** @param {import('./passes.mjs').Together} pass */
export function totals({ tally, files }) {
  const left = files.length - tally.files - tally.skipped;
  if (left > 0) row('interrupted', `${left} files not looked at, partial totals:`);
  row('hashed', `${tally.files} files, ${(tally.bytes / 1e6).toFixed(1)} MB`);
  for (const [agent, count] of tally.filesByAgent.entries()) {
    row(agent === tally.filesByAgent.length - 1 ? '  main thread' : `  worker ${agent + 1}`, `${count} files`);
  }
}

/**
 * @param {import('./passes.mjs').Together} pass
 * @param {number} limit
 * @param {boolean} holds
 */
export function openAtOnce({ tally }, limit, holds) {
  row('open at once', `${tally.mostOpen} files at most (limit ${limit}), tally adds up: ${verdict(holds)}`);
}

/**
 * @param {import('./list-files.mjs').Listing} listing
 * @param {import('./file-table.mjs').FileTable} files
 */
export function skipped({ paths, unreadable }, files) {
  const failed = paths.map((path, index) => ({ path, why: files.failure(index) ?? '' }));
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
  names('changed', changed.map((index) => ({ path: paths[index], why: 'during the run' })));
  names('different', different.map((index) => ({ path: paths[index], why: 'FAILED' })));
  digest(first);
  row('one thread', `gives ${same ? 'the same' : 'another'} digest: ${verdict(same)}`);
}

/**
 * The fastest pass of each kind shows what the machine can do when no other program uses it.
 * @param {number} files
 * @param {number} first seconds
 * @param {{ seconds: number }[]} alone
 * @param {{ seconds: number }[]} again
 */
export function speed(files, first, alone, again) {
  if (files === 0) return;
  const least = (/** @type {{ seconds: number }[]} */ passes) => Math.min(...passes.map(({ seconds }) => seconds));
  const rate = (/** @type {number} */ seconds) => `${Math.round(files / seconds)} files/s (${seconds.toFixed(2)} s)`;
  row('speed', `together ${rate(first)}, with the file cache as it was`);
  row('', `one thread ${rate(least(alone))}, cache warm, best of ${alone.length}`);
  row('', `together ${rate(least(again))}, cache warm, best of ${again.length}`);
  row('', `${(least(alone) / least(again)).toFixed(2)} times as fast together`);
}

/** @param {string} what */
export function interrupted(what) {
  row('interrupted', what);
}
