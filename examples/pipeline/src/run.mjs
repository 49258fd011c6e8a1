// The steps of a run: the log, both kinds of passes in turn, the check.
import { tallyAlone } from './alone.mjs';
import { lookThrough } from './look-through.mjs';
import { makeLog } from './make-log.mjs';
import { withProgress } from './progress.mjs';
import * as report from './report.mjs';
import { findLosses } from './tally.mjs';
import { tallyTogether } from './together.mjs';

/** @typedef {import('./look-through.mjs').Log} Log */
/** @typedef {import('./options.mjs').Options} Options */

/**
 * Returns whether nothing was lost, as far as the run came before `signal` ended it.
 * @param {Options} options
 * @param {AbortSignal} signal
 */
export async function run(options, signal) {
  const log = await findLog(options, signal);
  if (log === undefined) {
    report.interrupted('before it began');
    return true;
  }
  report.header(log, options);
  const { together, alone } = await takeTurns(log, options, signal);
  const [first] = together;
  if (first === undefined) return true;
  if (first.stopped) report.soFar(first.tally, log);
  report.totals(first.tally);
  report.crew(first, options.buffer);
  if (alone.length === 0) {
    report.interrupted('not checked against one thread');
    return true;
  }
  report.speed(log, together, alone);
  const lost = findLosses(log.lines, [...together, ...alone].map(({ tally }) => tally));
  report.check(lost);
  return lost.length === 0;
}

/**
 * @param {Options} options
 * @param {AbortSignal} signal
 */
async function findLog({ file, megabytes, blockBytes }, signal) {
  const make = () => withProgress('making it', megabytes * 2 ** 20, (onProgress) => makeLog(megabytes, signal, onProgress));
  const path = file ?? (await make());
  return path === undefined ? undefined : lookThrough(path, blockBytes, signal);
}

/**
 * Runs both kinds of passes in turn, because other programs use the cores, too. Keeps an interrupted pass only if it is the only one.
 * @param {Log} log
 * @param {Options} options
 * @param {AbortSignal} signal
 */
async function takeTurns(log, { parsers, buffer, blockBytes, rounds }, signal) {
  /** @type {import('./together.mjs').Together[]} */
  const together = [];
  /** @type {import('./alone.mjs').Alone[]} */
  const alone = [];
  for (let round = 0; round < rounds && !signal.aborted; round++) {
    const pass = { log, blockBytes, signal };
    /** @type {import('./together.mjs').Together} */
    const ours = await withProgress('pipeline', log.bytes, (onProgress) =>
      tallyTogether({ ...pass, parsers, buffer, onProgress }),
    );
    if (!ours.stopped || round === 0) together.push(ours);
    if (ours.stopped) break;
    /** @type {import('./alone.mjs').Alone} */
    const theirs = await withProgress('one thread', log.bytes, (onProgress) => tallyAlone({ ...pass, onProgress }));
    if (!theirs.stopped) alone.push(theirs);
  }
  return { together, alone };
}
