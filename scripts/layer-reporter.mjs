// @ts-check
// Prints the failures of a layer of tests with everything that they logged, and one line of counts. A passed test
// prints nothing.
import { writeFileSync } from 'node:fs';
import { env, stdout } from 'node:process';
import { MinimalReporter } from 'vitest/node';
import { ERRORS_FILE } from './run-results.mjs';

/** @typedef {import('vitest/node').TestCase} TestCase */
/** @typedef {import('vitest').UserConsoleLog} UserConsoleLog */

/** Log lines about the amount of work, such as `1,234 deaths`. All other log lines are for the reader of a failure. */
const UNITS = ['schedules', 'states', 'operations', 'calls', 'deaths', 'histories', 'kills', 'values'];
const COUNT = new RegExp(`(?<![\\w.,])(\\d+(?:,\\d{3})*) (${UNITS.join('|')})\\b`, 'g');
/** A summary over all tests of a file repeats what each of them logged. */
const SUMMARY = /\d scenarios, /;
const MUTANT = / mutant is caught: /;

/** @param {string} text @param {Map<string, number>} counts */
export function addCounts(text, counts) {
  for (const line of text.split('\n')) {
    if (SUMMARY.test(line)) continue;
    for (const [, number = '', unit = ''] of line.matchAll(COUNT)) {
      counts.set(unit, (counts.get(unit) ?? 0) + Number(number.replaceAll(',', '')));
    }
  }
}

/** @param {Map<string, number>} counts */
export function inWords(counts) {
  return [...counts].map(([unit, count]) => `${count.toLocaleString('en')} ${unit}`).join(', ');
}

export default class LayerReporter extends MinimalReporter {
  /** @type {Map<string, number>} */
  #counts = new Map();
  #mutants = 0;

  /**
   * Vitest calls this as soon as a test logs, and once more with `taskState` when the test has failed.
   * @override
   * @param {UserConsoleLog} log
   * @param {Parameters<MinimalReporter['onUserConsoleLog']>[1]} [taskState]
   */
  onUserConsoleLog(log, taskState) {
    if (taskState === undefined) addCounts(log.content, this.#counts);
    super.onUserConsoleLog(log, taskState);
  }

  /**
   * @override
   * @param {TestCase} test
   */
  onTestCaseResult(test) {
    super.onTestCaseResult(test);
    if (test.result().state === 'passed' && MUTANT.test(test.fullName)) this.#mutants += 1;
  }

  /**
   * @override
   * @param {Parameters<MinimalReporter['onTestRunEnd']>} run
   */
  onTestRunEnd(...run) {
    const errorsFile = env[ERRORS_FILE];
    if (errorsFile !== undefined) writeFileSync(errorsFile, JSON.stringify(run[1].map(({ message }) => message)));
    const failed = run[0].some((file) => file.state() === 'failed') || run[1].length > 0;
    if (failed) super.onTestRunEnd(...run);
    const tests = run[0].reduce((sum, file) => sum + [...file.children.allTests('passed')].length, 0);
    const counts = new Map([['tests', tests], ['mutants killed', this.#mutants], ...this.#counts]);
    for (const [unit, count] of counts) if (count === 0) counts.delete(unit);
    // A layer has several projects, `stress` and `stress-waiting`.
    const [layer] = (run[0][0]?.project.name ?? 'tests').split('-');
    stdout.write(`${layer}: ${run[0].length} files, ${inWords(counts)}\n`);
  }
}
