// @ts-check
// The results of one run of Vitest, and of a run with a second run of the files whose process crashed.

/** The variable that names the file to which layer-reporter.mjs writes the errors that no test caught. */
export const ERRORS_FILE = 'SLUICE_ERRORS_FILE';

/**
 * The report of Vitest's reporter `json`.
 *
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {{ name: string, status: string, assertionResults: { status: string }[] }[]} testResults
 */

/**
 * Of one run of Vitest. V8 itself crashes now and then where tests terminate threads by the hundred.
 *
 * @typedef {object} RunResults
 * @property {number} passed
 * @property {number} failed at least 1 if the run failed
 * @property {number} failedElsewhere the failures that are not those of a process that crashed
 * @property {readonly string[]} crashed the files whose process ended before their tests did
 * @property {number} passedBeforeCrash how many of the passed tests are in those files
 */

/** @type {RunResults} */
export const NO_RESULTS = { passed: 0, failed: 0, failedElsewhere: 0, crashed: [], passedBeforeCrash: 0 };

/** What Vitest says of a process that ended before its tests did. */
const CRASH = /^\[vitest-pool\]: Worker \S+ emitted error\.|^Worker exited unexpectedly/;

/**
 * @param {Report} report
 * @param {number} code the exit code of the run
 * @param {readonly string[]} errors the messages of the errors that no test caught
 * @returns {RunResults}
 */
export function resultsOf(report, code, errors) {
  // A file that fails to load has no tests to fail, and an error that no test caught fails only the run.
  const unloadable = report.testResults.filter((f) => f.status === 'failed' && f.assertionResults.length === 0);
  const failed = report.numFailedTests + unloadable.length;
  const uncaught = errors.filter((message) => !CRASH.test(message)).length;
  // A test is left pending when its process ended before it.
  const crashed = report.testResults.filter((f) => f.assertionResults.some(({ status }) => status === 'pending'));
  const beforeCrash = crashed.flatMap((f) => f.assertionResults.filter(({ status }) => status === 'passed'));
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    failedElsewhere: failed + uncaught,
    crashed: crashed.map(({ name }) => name),
    passedBeforeCrash: beforeCrash.length,
  };
}

/**
 * The files of a process that crashed count with what they did the second time. All other failures of the first run
 * count.
 *
 * @param {RunResults} first
 * @param {RunResults} second
 * @returns {{ passed: number, failed: number }}
 */
export function withSecondRun(first, second) {
  return {
    passed: first.passed - first.passedBeforeCrash + second.passed,
    failed: first.failedElsewhere + second.failed,
  };
}
