// The steps of a run: list the files, pack them together, check the result against one thread, print a report.
import { startView } from '@sluice/inspect/view';
import { mkdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { stderr } from 'node:process';
import { packAlone } from './alone.mjs';
import { compare, isComplete } from './compare.mjs';
import { codeOf, joinPath, listFiles } from './list-files.mjs';
import { UsageError } from './options.mjs';
import { startProgress } from './progress.mjs';
import * as report from './report.mjs';
import { packTogether } from './together.mjs';

// Short passes are compared more than once.
const MAX_ROUNDS = 3;
const ENOUGH_MS = 5000;

/** @typedef {ReturnType<typeof import('./options.mjs').readOptions>} Options */

/**
 * Returns whether every check held, as far as the run came before `signal` ended it.
 * @param {Options} options
 * @param {AbortSignal} signal
 */
export async function run({ directory, workers, kill, out, verify, view }, signal) {
  const startedAt = Date.now();
  await checkDirectory(directory);
  if (view) stderr.write(`live view: ${startView().url}\n`);
  if (out !== undefined) makeDirectory(out);
  const listing = await listFiles(Buffer.from(directory), signal);
  const root = Buffer.from(directory);
  const paths = listing.files.map(({ path }) => path);
  const files = listing.files.map(({ path, size }) => ({ path: joinPath(root, path), size }));
  const total = files.reduce((sum, { size }) => sum + size, 0);
  report.header(directory, listing, total, workers, kill);

  /** @type {import('./together.mjs').Together} */
  const first = await withProgress('together', total, signal, (pass) =>
    packTogether(files, { workers, kill, out, ...pass }),
  );
  const complete = signal.aborted || isComplete(first.results);
  report.totals(first, files.length);
  report.kill(first, isComplete(first.results), signal.aborted);
  report.skipped(listing, first.results);
  if (signal.aborted) return true;
  if (!verify) {
    report.digest(first.results.digestOfDigests(paths));
    return complete;
  }

  const oneThread = () => withProgress('one thread', total, signal, (pass) => packAlone(files, pass));
  const together = () =>
    withProgress('together again', total, signal, (pass) =>
      packTogether(files, { workers, kill, out: undefined, ...pass }),
    );
  const rounds = await takeTurns(oneThread, together, signal);
  if (rounds === undefined) {
    report.interrupted('not checked against one thread');
    return complete;
  }
  const { alone, again } = rounds;
  const passes = [first, ...alone, ...again].map(({ results }) => results);
  const wholePaths = files.map(({ path }) => path);
  const comparison = await compare(wholePaths, paths, passes, startedAt);
  report.comparison(paths, comparison);
  report.gain(alone, again, workers);
  return complete && passes.every(isComplete) && comparison.same;
}

/**
 * The first pass found the file cache in an unknown state; these passes find it warm. They alternate, because other
 * programs use the cores, too.
 * @template Alone, Again
 * @param {() => Promise<Alone>} oneThread
 * @param {() => Promise<Again>} together
 * @param {AbortSignal} signal
 */
async function takeTurns(oneThread, together, signal) {
  const alone = [];
  const again = [];
  const start = performance.now();
  while (alone.length === 0 || (alone.length < MAX_ROUNDS && performance.now() - start < ENOUGH_MS)) {
    alone.push(await oneThread());
    again.push(await together());
    if (signal.aborted) return undefined;
  }
  return { alone, again };
}

/** @param {string} directory */
async function checkDirectory(directory) {
  try {
    if (!(await stat(directory)).isDirectory()) throw new UsageError(`${directory} is not a directory`);
    await readdir(directory);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = codeOf(error);
    throw new UsageError(code === 'ENOENT' ? `${directory} does not exist` : `${directory} cannot be read: ${code}`);
  }
}

/** @param {string} directory */
function makeDirectory(directory) {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new UsageError(`--out ${directory} cannot be made: ${codeOf(error)}`);
  }
}

/**
 * @template T
 * @param {string} title
 * @param {number} total bytes
 * @param {AbortSignal} signal
 * @param {(options: { signal: AbortSignal, onProgress: (bytes: number) => void }) => Promise<T>} pass
 */
async function withProgress(title, total, signal, pass) {
  const progress = startProgress(title, total);
  // A second signal ends the program with no further step, so the first one ends the bar.
  signal.addEventListener('abort', progress.stop);
  try {
    const onProgress = (/** @type {number} */ bytes) => {
      if (!signal.aborted) progress.update(bytes);
    };
    const result = await pass({ signal, onProgress });
    onProgress(total);
    return result;
  } finally {
    signal.removeEventListener('abort', progress.stop);
    progress.stop();
  }
}
