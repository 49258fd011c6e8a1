// @ts-check
// A thread that blocks forever also blocks the timer that would fail its test, so Vitest would wait without a message.
// This reporter ends a run without progress, and names the tests that were running.
import process, { env, stderr } from 'node:process';

/** More than the time limit of any test, so that a timeout happens first if its timer can fire. */
const LIMIT_MS = env['SLUICE_SOAK'] === undefined ? 6 * 60_000 : 65 * 60_000;
const LOOK_MS = 5_000;

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {import('vitest/node').TestCase} TestCase */
/** @typedef {import('vitest/reporters').Reporter} Reporter */

/** Ends the run and its workers: a worker that blocks does not notice that its parent is gone. */
function killGroup() {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** @implements {Reporter} */
export default class StuckReporter {
  /** What each file that has begun and not ended did last, by its path. @type {Map<string, string>} */
  #running = new Map();
  #lastEvent = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  onTestRunStart() {
    this.#lastEvent = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  onTestRunEnd() {
    clearInterval(this.#timer);
  }

  /** @param {TestModule} file */
  onTestModuleQueued(file) {
    this.#note(file, 'is loading, or blocked before it told of a test');
  }

  /** @param {TestCase} test */
  onTestCaseReady(test) {
    this.#note(test.module, `began: ${test.fullName}`);
  }

  /** @param {TestCase} test */
  onTestCaseResult(test) {
    this.#note(test.module, `ended: ${test.fullName}`);
  }

  /** @param {TestModule} file */
  onTestModuleEnd(file) {
    this.#lastEvent = performance.now();
    this.#running.delete(file.moduleId);
  }

  /**
   * @param {TestModule} file
   * @param {string} event
   */
  #note(file, event) {
    this.#lastEvent = performance.now();
    this.#running.set(file.moduleId, event);
  }

  #look() {
    const idle = performance.now() - this.#lastEvent;
    if (idle < LIMIT_MS) return;
    stderr.write(
      `\nNo test began or ended for ${Math.round(idle / 1000)} s. The files that have not ended, and their last event:\n`,
    );
    for (const [file, event] of this.#running) stderr.write(`  ${file}\n    ${event}\n`);
    killGroup();
  }
}
