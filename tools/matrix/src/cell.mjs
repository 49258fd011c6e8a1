// @ts-check
// One cell: one process with a time limit.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { env } from 'node:process';

/** A watchdog: a case takes up to some seconds. */
const MAX_MS = 180_000;
const MAX_TEXT = 2000;

/** @typedef {import('./columns.mjs').Column} Column */
/** @typedef {import('./rows.mjs').Row} Row */

/**
 * @param {readonly string[]} command
 * @param {string} cwd
 * @returns {Promise<{ code: number | null, late: boolean, stdout: string, output: string }>}
 */
function run([program = '', ...args], cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    });
    let [stdout, output, late] = ['', '', false];
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, MAX_MS);
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      output += String(chunk);
    });
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, late, stdout, output });
    });
  });
}

/** @param {string} text */
const ending = (text) => (text.length > MAX_TEXT ? `...${text.slice(-MAX_TEXT)}` : text);

/**
 * @param {{ code: number | null, late: boolean, output: string }} end
 * @returns {string} why the process failed
 */
const reason = ({ code, late, output }) =>
  ending(`${late ? `still running after ${MAX_MS / 1000} s` : `ended with code ${String(code)}`}\n${output}`);

/**
 * @param {string} folder with the programs
 * @param {Column} column
 * @param {Row} row
 * @returns {Promise<string | undefined>} what failed
 */
export async function runCell(folder, { command, form, workers, outlived }, row) {
  const visit = { case: row.case, build: form, js: false, bare: false, endings: row.endings, workers, outlived };
  const end = await run([...command, join(folder, 'process.mjs'), JSON.stringify(visit)], folder);
  const [last = ''] = end.stdout.trim().split('\n').slice(-1);
  if (end.late || !last.startsWith('{')) return reason(end);
  const result = /** @type {import('../../cases/src/main.ts').Result} */ (JSON.parse(last));
  if ('failed' in result) return ending(result.failed);
  return end.code === 0 ? undefined : reason(end);
}

/**
 * @param {string} folder
 * @param {Column} column
 * @param {string} file
 * @returns {Promise<string | undefined>} what failed
 */
export async function runExample(folder, { command }, file) {
  const end = await run([...command, file], folder);
  return end.code === 0 && !end.late ? undefined : reason(end);
}
