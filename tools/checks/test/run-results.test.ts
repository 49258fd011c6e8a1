// Tests what a run of tests counts whose process crashed, so that some of its files ran a second time.

import { expect, test } from 'vitest';
import { resultsOf, withSecondRun } from '../../../scripts/run-results.mjs';

const CRASH = '[vitest-pool]: Worker forks emitted error.';

function file(name: string, ...statuses: readonly string[]) {
  const status = statuses.includes('failed') ? 'failed' : 'passed';
  return { name, status, assertionResults: statuses.map((each) => ({ status: each })) };
}

function report(...files: readonly ReturnType<typeof file>[]) {
  const count = (status: string): number =>
    files.flatMap(({ assertionResults }) => assertionResults.filter((each) => each.status === status)).length;
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults: [...files] };
}

const again = resultsOf(report(file('a', 'passed', 'passed')), 0, []);

test('a run passes if the files of the process that crashed pass the second time', () => {
  const first = resultsOf(report(file('a', 'passed', 'pending'), file('b', 'passed')), 1, [CRASH]);
  expect(first.crashed).toEqual(['a']);
  expect(withSecondRun(first, again)).toEqual({ passed: 3, failed: 0 });
});

test('a run with a crashed process fails for an error that no test of another file caught', () => {
  const first = resultsOf(report(file('a', 'passed', 'pending'), file('b', 'passed')), 1, [CRASH, 'boom']);
  expect(withSecondRun(first, again)).toEqual({ passed: 3, failed: 1 });
});

test('a test of another file that fails in a run with a crash fails the run', () => {
  const first = resultsOf(report(file('a', 'pending'), file('b', 'failed', 'passed')), 1, [CRASH]);
  expect(withSecondRun(first, again)).toEqual({ passed: 3, failed: 1 });
});

test('a run that fails without a failed test counts one failure', () => {
  expect(resultsOf(report(file('a', 'passed')), 1, ['boom']).failed).toBe(1);
  expect(resultsOf(report(file('a', 'passed')), 0, []).failed).toBe(0);
});

test('a file that cannot be loaded is a failure', () => {
  const unloadable = { name: 'a', status: 'failed', assertionResults: [] };
  expect(resultsOf(report(unloadable, file('b', 'passed')), 1, []).failed).toBe(1);
});
