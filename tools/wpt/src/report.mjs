// @ts-check
// What a run says: a line for each file, then what failed.
import { whyFailing } from './known.mjs';
import { isGood } from './run.mjs';

/** @import { Result } from './run.mjs' */

/** @param {Result} result */
const countsOf = ({ subtests }) => ({
  passed: subtests.filter(({ status }) => status === 'pass').length,
  all: subtests.length,
});

/** As "window 11 of 11". @param {Result} result */
function scopeLine(result) {
  const { passed, all } = countsOf(result);
  return `${result.scope} ${passed} of ${all}${result.end.status === 'ok' ? '' : ` (${result.end.status})`}`;
}

/** @param {string} name @param {readonly Result[]} results of that file */
export function fileLine(name, results) {
  return `${name.padEnd(44)} ${results.map(scopeLine).join('   ')}`;
}

/**
 * The failures of a file. `known`: with a reason.
 * @param {Result} result
 * @returns {{ known: string[], unknown: string[] }}
 */
export function failuresOf(result) {
  /** @type {{ known: string[], unknown: string[] }} */
  const failures = { known: [], unknown: [] };
  if (isGood(result)) return failures;
  const { name, scope, subtests, end } = result;
  const at = `${name} in a ${scope}`;
  for (const subtest of subtests) {
    if (subtest.status === 'pass') continue;
    const why = whyFailing(name, subtest.name);
    if (why === undefined) failures.unknown.push(`${at}: ${subtest.name}: ${subtest.status}: ${subtest.message}`);
    else failures.known.push(`${at}: ${subtest.name}: ${why}`);
  }
  if (end.status !== 'ok') failures.unknown.push(`${at}: ${end.status}: ${end.message}`);
  else if (subtests.length === 0) failures.unknown.push(`${at}: it has no subtest`);
  return failures;
}

/** @param {readonly Result[]} results */
export function totalLine(results) {
  const passed = results.reduce((sum, result) => sum + countsOf(result).passed, 0);
  const failures = results.map(failuresOf);
  const [failed, known] = [
    failures.flatMap(({ unknown }) => unknown).length,
    failures.flatMap((of) => of.known).length,
  ];
  return `${passed} passed, ${failed} failed${known === 0 ? '' : `, ${known} not expected to pass`}`;
}
