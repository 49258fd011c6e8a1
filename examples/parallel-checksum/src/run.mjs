// The steps of a run: list the files, hash them together, check the result against one thread, print a report.
import { stat } from 'node:fs/promises';
import { compare, digestOfDigests, tallyHolds } from './compare.mjs';
import { codeOf, joinPath, listFiles } from './list-files.mjs';
import { UsageError } from './options.mjs';
import { hashAlone, hashTogether } from './passes.mjs';
import { startProgress } from './progress.mjs';
import * as report from './report.mjs';

// Short passes are compared more than once.
const MOST_ROUNDS = 3;
const ENOUGH_MS = 2000;

/** @typedef {ReturnType<typeof import('./options.mjs').readOptions>} Options */

/**
 * Returns whether every check held, as far as the run came before `signal` ended it.
 * @param {Options} options
 * @param {AbortSignal} signal
 */
export async function run({ directory, workers, limit, verify }, signal) {
  const startedAt = Date.now();
  const listing = await list(directory, signal);
  const { paths } = listing;
  const root = Buffer.from(directory);
  const fullPaths = paths.map((path) => joinPath(root, path));
  report.header(directory, listing, workers, limit);

  const together = (/** @type {string} */ title) =>
    withProgress(title, paths.length, signal, (pass) => hashTogether(fullPaths, { workers, limit, ...pass }));
  const oneThread = () => withProgress('one thread', paths.length, signal, (pass) => hashAlone(fullPaths, pass));

  const first = await together('together');
  const holds = tallyHolds(first, limit);
  report.totals(first);
  report.openAtOnce(first, limit, holds);
  report.skipped(listing, first.files);
  if (signal.aborted) return holds;
  if (!verify) {
    report.digest(digestOfDigests(paths, first.files));
    return holds;
  }

  const rounds = await takeTurns(oneThread, () => together('together again'), signal);
  if (rounds === undefined) {
    report.interrupted('not checked against one thread');
    return holds;
  }
  const { alone, again } = rounds;
  const broken = again.filter((pass) => !tallyHolds(pass, limit));
  for (const pass of broken) report.openAtOnce(pass, limit, false);
  const outcomes = [first, ...alone, ...again].map(({ files }) => files);
  const comparison = await compare(root, paths, outcomes, startedAt);
  report.comparison(paths, comparison);
  report.speed(paths.length, first.seconds, alone, again);
  return holds && broken.length === 0 && comparison.same;
}

/**
 * The first pass found the file cache in an unknown state; these passes find it warm. They alternate, because other programs use the
 * cores, too.
 * @template Alone, Again
 * @param {() => Promise<Alone>} oneThread
 * @param {() => Promise<Again>} together
 * @param {AbortSignal} signal
 */
async function takeTurns(oneThread, together, signal) {
  const alone = [];
  const again = [];
  const start = performance.now();
  while (alone.length === 0 || (alone.length < MOST_ROUNDS && performance.now() - start < ENOUGH_MS)) {
    alone.push(await oneThread());
    again.push(await together());
    if (signal.aborted) return undefined;
  }
  return { alone, again };
}

/**
 * @param {string} directory
 * @param {AbortSignal} signal
 */
async function list(directory, signal) {
  try {
    if (!(await stat(directory)).isDirectory()) throw new UsageError(`${directory} is not a directory`);
    return await listFiles(Buffer.from(directory), signal);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = codeOf(error);
    throw new UsageError(code === 'ENOENT' ? `${directory} does not exist` : `${directory} cannot be read: ${code}`);
  }
}

/**
 * @template T
 * @param {string} title
 * @param {number} total
 * @param {AbortSignal} signal
 * @param {(options: import('./passes.mjs').PassOptions) => Promise<T>} pass
 */
async function withProgress(title, total, signal, pass) {
  const progress = startProgress(title, total);
  try {
    const result = await pass({ signal, onProgress: progress.update });
    if (!signal.aborted) progress.update(total);
    return result;
  } finally {
    progress.stop();
  }
}
