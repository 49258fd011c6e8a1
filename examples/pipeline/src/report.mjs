// All printed output, except the progress.
import { inspect } from 'node:util';

const LABEL_WIDTH = 14;
const TOP = 5;
const MB = 1e6;

/** @typedef {import('./tally.mjs').Tally} Tally */
/** @typedef {import('./look-through.mjs').Log} Log */

/**
 * @param {string} label
 * @param {string} text
 */
const row = (label, text) => console.log(`${label.padEnd(LABEL_WIDTH)} ${text}`);

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / MB).toFixed(1)} MB`;

/**
 * @param {Log} log
 * @param {import('./options.mjs').Options} options
 */
export function header(log, { parsers, buffer, blockBytes }) {
  row('log', `${inspect(log.path)}, ${megabytes(log.bytes)}, ${log.lines} lines`);
  row('pipeline', `reader, ${parsers} parsers, main thread; up to ${buffer} blocks of ${blockBytes / 1024} KB wait for a parser`);
}

/** @param {Tally} tally */
export function totals({ lines, malformed, sent, statuses, hours, agents, paths }) {
  row('requests', `${lines - malformed}, and ${malformed} lines that are not requests; ${megabytes(sent)} sent`);
  row('statuses', most(statuses).map(([status, count]) => `${status}: ${count}`).join(', '));
  row('agents', most(agents).map(([agent, count]) => `${agent}: ${count}`).join(', '));
  row('hours', most(hours).map(([hour, count]) => `${hour} h: ${count}`).join(', '));
  row('paths', `${paths.length}, most often:`);
  for (const [path, count] of most(paths)) row('', `${String(count).padStart(8)}  ${path}`);
}

/**
 * @param {import('./together.mjs').Together} pass
 * @param {number} buffer
 */
export function crew({ byParser, waiting }, buffer) {
  row('parsers', `took ${byParser.join(', ')} blocks`);
  const slower = waiting > buffer / 2 ? 'the reader waits for the parsers' : 'the parsers wait for the reader';
  row('buffer', `${waiting.toFixed(1)} of ${buffer} blocks in it on average: ${slower}`);
}

/**
 * @param {Log} log
 * @param {{ seconds: number }[]} together
 * @param {{ seconds: number }[]} alone
 */
export function speed(log, together, alone) {
  const [fast, slow] = [together, alone].map((passes) => Math.min(...passes.map(({ seconds }) => seconds)));
  const best = `best of ${together.length}`;
  const rate = (/** @type {number} */ seconds) =>
    `${seconds.toFixed(2)} s, ${(log.bytes / MB / seconds).toFixed(0)} MB/s, ${(log.lines / 1e6 / seconds).toFixed(2)} M lines/s`;
  if (fast === undefined || slow === undefined) return;
  row('pipeline', `${rate(fast)}, ${best}, the start of its threads included`);
  row('one thread', `${rate(slow)}, ${best}`);
  row('', `${(slow / fast).toFixed(2)} times as fast together`);
}

/** @param {string[]} lost descriptions of what was lost */
export function check(lost) {
  if (lost.length === 0) row('check', 'the same as by one thread, every line counted: ok');
  for (const what of lost) row('check', `LOST: ${what}`);
}

/**
 * @param {Tally} tally
 * @param {Log} log
 */
export function soFar({ read, lines }, log) {
  interrupted(`${megabytes(read)} of ${megabytes(log.bytes)} parsed, ${lines} of ${log.lines} lines; so far:`);
}

/** @param {string} when */
export function interrupted(when) {
  row('interrupted', when);
}

/** @param {[string, number][]} counts */
function most(counts) {
  return counts.toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).slice(0, TOP);
}
