// @ts-check
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Table from 'cli-table3';

/**
 * A stated expectation and what became of it.
 * @typedef {object} Bar
 * @property {string} name
 * @property {string} limit
 * @property {number} value
 * @property {boolean} met
 */

/** @typedef {Record<string, unknown> & { subject: string, bars?: readonly Bar[] }} Result */

/**
 * @typedef {object} Report
 * @property {(result: Result) => void} add writes one JSON line
 * @property {(subject: string, reason: string) => void} fail
 * @property {(line: string) => void} note
 * @property {(line: string) => void} progress a line that the next one replaces
 * @property {(title: string, head: readonly string[], rows: readonly (readonly string[])[]) => void} table
 * @property {() => { bars: readonly Bar[], failures: number }} end
 */

/**
 * @param {object} options
 * @param {string} options.scenario
 * @param {string} options.directory
 * @param {boolean} options.quick
 * @param {boolean} options.undisturbed whether measurements that others disturbed were taken again
 * @param {import('./machine.mjs').Surroundings} options.surroundings
 * @returns {Report}
 */
export function createReport({ scenario, directory, quick, undisturbed, surroundings }) {
  const date = new Date().toISOString();
  const file = join(directory, `${date.slice(0, 10)}-${scenario}.jsonl`);
  mkdirSync(directory, { recursive: true });
  /** @type {Bar[]} */
  const bars = [];
  let failures = 0;
  const live = process.stderr.isTTY;

  /** @param {object} result */
  const write = (result) => {
    appendFileSync(file, `${JSON.stringify({ scenario, date, quick, undisturbed, ...result, ...surroundings })}\n`);
  };
  const clear = () => live && process.stderr.write('\r\u001b[K');

  return {
    add(result) {
      bars.push(...(result.bars ?? []));
      write(result);
    },
    fail(subject, reason) {
      failures++;
      clear();
      console.log(`FAILED ${subject}: ${reason}`);
      write({ subject, failure: reason });
    },
    note(line) {
      clear();
      console.log(line);
    },
    progress(line) {
      if (live) process.stderr.write(`\r\u001b[K${scenario} ${line}`);
    },
    table(title, head, rows) {
      clear();
      const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
      for (const row of rows) table.push([...row]);
      console.log(`\n${title}\n${table.toString()}`);
    },
    end() {
      clear();
      for (const bar of bars)
        console.log(`${bar.met ? 'met   ' : 'MISSED'} ${bar.name}: ${show(bar.value)} (bar: ${bar.limit})`);
      return { bars, failures };
    },
  };
}

/**
 * @param {string} name
 * @param {number} value
 * @param {{ atMost: number } | { atLeast: number }} limit
 * @returns {Bar}
 */
export function bar(name, value, limit) {
  if ('atMost' in limit) return { name, limit: `at most ${limit.atMost}`, value, met: value <= limit.atMost };
  return { name, limit: `at least ${limit.atLeast}`, value, met: value >= limit.atLeast };
}

/**
 * Three significant digits, large numbers with thousands separators.
 * @param {number | null | undefined} value
 */
export function show(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
