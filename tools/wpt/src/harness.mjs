// @ts-check
// Runs a test file in the realm of this thread, with the testharness.js of web-platform-tests, and reports what that
// finds.
import process from 'node:process';
import { parseFile } from './files.mjs';
import { openRealm } from './scope.mjs';
import { ORIGIN, readSource } from './sources.mjs';

/** @import { Scope } from './files.mjs' */
/** @import { Locks } from './locks.mjs' */

/** As in testharness.js, in the order of its numbers. */
const SUBTEST = /** @type {const} */ (['pass', 'fail', 'timeout', 'not run', 'precondition failed']);
const FILE = /** @type {const} */ (['ok', 'error', 'timeout', 'precondition failed']);

/** @typedef {{ name: string, status: typeof SUBTEST[number], message: string }} Subtest */
/**
 * 'crash': the process ended before the tests did. @typedef {{ status: typeof FILE[number] | 'crash', message: string
 * }} End
 */
/** @typedef {{ subtest: Subtest } | { end: End }} Report */

/** @typedef {{ name: string, status: number, message: string | null }} RawStatus */
/**
 * The functions that the harness defines. @typedef {{ add_result_callback: (on: (test: RawStatus) => void) => void,
 * add_completion_callback: (on: (tests: unknown, end: RawStatus) => void) => void }} Harness
 */

/**
 * @param {object} test
 * @param {string} test.root the checkout
 * @param {string} test.pathname of the file, such as `/web-locks/held.https.any.js`
 * @param {Scope} test.scope
 * @param {Locks} locks
 * @param {(report: Report) => void} report
 */
export function runFile({ root, pathname, scope }, locks, report) {
  const { scripts } = parseFile(pathname, readSource(root, pathname));
  const realm = openRealm({ root, pathname, scope, locks });
  process.on('uncaughtException', (error) => realm.fail(error));
  process.on('unhandledRejection', (reason) => realm.dispatch('unhandledrejection', { reason }));
  realm.load('/resources/testharness.js');
  realm.nameScope();
  const { add_result_callback: onResult, add_completion_callback: onEnd } = /** @type {Harness} */ (
    /** @type {unknown} */ (globalThis)
  );
  // A test may wait for nothing that keeps the event loop alive, and must time out then.
  const alive = setInterval(() => undefined, 1000);
  onResult(({ name, status, message }) =>
    report({ subtest: { name, status: SUBTEST[status] ?? 'fail', message: message ?? '' } }),
  );
  onEnd((_, { status, message }) => {
    clearInterval(alive);
    report({ end: { status: FILE[status] ?? 'error', message: message ?? '' } });
  });
  try {
    for (const script of scripts) {
      if ('url' in script) realm.load(new URL(script.url, new URL(pathname, ORIGIN)).pathname);
      else realm.evaluate(script.text, pathname);
    }
  } catch (error) {
    realm.fail(error);
  }
}
