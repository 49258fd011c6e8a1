// @ts-check
import process, { stderr, stdout } from 'node:process';

/**
 * How every check ends: one line if all is well, one line per problem and a failing exit code otherwise.
 * @param {string} summary
 * @param {string[]} problems
 */
export function report(summary, problems) {
  for (const problem of problems) stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  else stdout.write(`${summary}\n`);
}
