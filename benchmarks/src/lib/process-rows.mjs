// @ts-check
// Locks between processes, beside each other: each subject in processes of its own, and a row for each.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describeSurroundings } from './machine.mjs';
import { createReport } from './report.mjs';

const LIMIT_MS = 120_000;
const RESULTS = fileURLToPath(new URL('../../results', import.meta.url));

/** @typedef {{ title: string, processes: number, waiters: number, hold: number, subjects: readonly string[] }} Scenario */
/** @typedef {{ perSecond: number, fairness: number, p50: number, p99: number, round: number }} Row */
/** @typedef {{ text: string, subject: string, of: (row: Row) => number, limit: number, least?: boolean }} Goal */

/** @param {number[]} numbers */
export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** @param {import('node:child_process').ChildProcess} child */
async function messageOf(child) {
  const ended = once(child, 'disconnect').then(() => {
    throw new Error('A process ended instead of answering');
  });
  ended.catch(() => undefined);
  return Promise.race([once(child, 'message').then(([message]) => message), ended]);
}

/**
 * Runs processes that take and release for `seconds`.
 * @param {{ program: string, url: string, subject: string, scenario: Scenario, seconds: number }} options
 * @returns {Promise<Row>}
 */
async function run({ program, url, subject, scenario: { processes, waiters, hold }, seconds }) {
  const children = Array.from({ length: processes }, () =>
    fork(program, [url, subject, waiters, hold, 0, seconds].map(String)),
  );
  const limit = setTimeout(() => children.forEach((child) => child.kill('SIGKILL')), LIMIT_MS);
  await Promise.all(children.map(messageOf));
  const results = children.map(messageOf);
  for (const child of children) child.send('go');
  const reports = /** @type {{ passes: number[], waits: number[] }[]} */ (await Promise.all(results));
  await Promise.all(
    children
      .filter((child) => child.exitCode === null && child.signalCode === null)
      .map((child) => once(child, 'exit')),
  );
  clearTimeout(limit);
  const passes = reports.flatMap((report) => report.passes);
  const waits = reports.flatMap((report) => report.waits).toSorted((a, b) => a - b);
  const perSecond = passes.reduce((sum, count) => sum + count, 0) / seconds;
  return {
    perSecond,
    fairness: Math.min(...passes) / Math.max(...passes, 1),
    p50: waits[Math.floor(waits.length / 2)] ?? 0,
    p99: waits[Math.floor(waits.length * 0.99)] ?? 0,
    /** How long the line takes to serve each waiter once, in ms. */
    round: perSecond > 0 ? (1000 * processes * waiters) / perSecond : Infinity,
  };
}

/**
 * Prints rows and goals, and stores them if `store` is set.
 * @param {{ scenario: string, program: string, url: string, seconds: number, rounds: number, store: boolean, conditions: string,
 *   before?: () => Promise<unknown> }} options `before` runs before each subject
 */
export function rowsOf({ scenario: file, program, url, seconds, rounds, store, conditions, before }) {
  const surroundings = describeSurroundings();
  const report = store
    ? createReport({ scenario: file, directory: RESULTS, quick: false, undisturbed: false, surroundings })
    : undefined;

  /**
   * @param {string} what
   * @param {{ name: string, value: number, limit: number, least: boolean }} goal
   */
  const bar = (what, { name, value, limit, least }) => {
    const met = least ? value >= limit : value <= limit;
    const text = `${least ? 'at least' : 'at most'} ${limit}`;
    stdout.write(`  ${name.padEnd(64)}${value.toFixed(2).padStart(11)}  ${text.padEnd(16)}${met ? 'met' : 'MISSED'}\n`);
    report?.add({ what, subject: 'goals', bars: [{ name, limit: text, value, met }] });
  };

  return {
    bar,

    /** @param {string} what @param {string} subject @param {Record<string, unknown>} measured */
    add: (what, subject, measured) => report?.add({ what, subject, conditions, ...measured }),

    /** @param {string} name @param {Scenario} scenario @param {readonly Goal[]} goals */
    async compare(name, scenario, goals) {
      /** @type {Map<string, Row[]>} */
      const all = new Map(scenario.subjects.map((subject) => [subject, []]));
      for (let round = 0; round < rounds; round++) {
        for (const [subject, rows] of all) {
          stderr.write(`${name}, round ${round + 1}: ${subject}\n`);
          await before?.();
          rows.push(await run({ program, url, subject, scenario, seconds }));
        }
      }
      stdout.write(`\n${name}: ${scenario.title}; ${seconds} s each, ${rounds} rounds${conditions}\n`);
      stdout.write(`${'subject'.padEnd(40)}     /s  min/max   p50 ms   p99 ms   rounds\n`);
      for (const [subject, rows] of all) {
        const of = (/** @type {keyof Row} */ key) => median(rows.map((row) => row[key]));
        const row = { perSecond: of('perSecond'), fairness: of('fairness'), p50: of('p50'), p99: of('p99') };
        stdout.write(
          `${subject.padEnd(40)}${row.perSecond.toFixed(0).padStart(7)}${row.fairness.toFixed(2).padStart(9)}${row.p50.toFixed(2).padStart(9)}${row.p99.toFixed(2).padStart(9)}${(row.p99 / of('round')).toFixed(2).padStart(9)}\n`,
        );
        report?.add({ what: name, subject, conditions, seconds, rounds: rows.length, ...row, samples: rows });
      }
      for (const { text, subject, of, limit, least = false } of goals)
        bar(name, { name: text, value: median((all.get(subject) ?? []).map(of)), limit, least });
    },
  };
}
