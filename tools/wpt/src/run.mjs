// @ts-check
// Runs a test file in a process of its own, and collects its subtests.
import { fork } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @import { Scope } from './files.mjs' */
/** @import { End, Report, Subtest } from './harness.mjs' */
/** @import { Options } from './options.mjs' */
/** @import { Page } from './page.mjs' */

/** @typedef {{ name: string, scope: Scope, subtests: Subtest[], end: End }} Result */

const PAGE = fileURLToPath(new URL('./page.mjs', import.meta.url));

/**
 * @param {string} name of the file, below the folder
 * @param {Scope} scope
 * @param {Pick<Options, 'from' | 'locks' | 'seconds'>} options
 * @returns {Promise<Result>}
 */
export async function runIn(name, scope, { from, locks, seconds }) {
  /** @type {Subtest[]} */
  const subtests = [];
  const end = await new Promise((/** @type {(end: End) => void} */ resolve) => {
    const child = fork(PAGE, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const late = setTimeout(
      () => finish({ status: 'timeout', message: `The file did not end within ${seconds} s.` }),
      1000 * seconds,
    );
    const finish = (/** @type {End} */ how) => {
      clearTimeout(late);
      child.kill('SIGKILL');
      resolve(how);
    };
    child.on('message', (/** @type {Report} */ report) => {
      if ('end' in report) finish(report.end);
      else subtests.push(report.subtest);
    });
    child.on('exit', (code, signal) =>
      finish({ status: 'crash', message: `The process ended with ${signal ?? `code ${code}`}.` }),
    );
    child.on('error', (error) => finish({ status: 'crash', message: error.message }));
    /** @type {Page} */
    const page = { root: dirname(from), pathname: `/${basename(from)}/${name}`, scope, locks };
    child.send(page);
  });
  return { name, scope, subtests, end };
}

/** Whether all went well. @param {Result} result */
export const isGood = ({ subtests, end }) =>
  end.status === 'ok' && subtests.length > 0 && subtests.every(({ status }) => status === 'pass');
