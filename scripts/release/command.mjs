// @ts-check
// Other programs, each with a time after which it is ended.
import { spawnSync } from 'node:child_process';
import { env, platform } from 'node:process';

const MINUTE = 60_000;

/**
 * @typedef {object} How
 * @property {number} [most] ms
 * @property {boolean} [shell] `file` is a command line
 * @property {Record<string, string>} [env] further environment variables
 */

/**
 * @param {string} file
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {How} [how]
 * @returns {string} what it printed
 */
export function run(file, args, cwd, { most = 3 * MINUTE, shell = false, env: more = {} } = {}) {
  const { status, signal, stdout, stderr, error } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: shell || (platform === 'win32' && file === 'npm'), // npm is a .cmd file there
    timeout: most,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...env, npm_config_update_notifier: 'false', ...more },
  });
  if (status === 0) return stdout;
  const why =
    signal === 'SIGKILL'
      ? `still running after ${most / 1000} s`
      : status === null
        ? String(error)
        : `exit code ${status}`;
  throw new Error(`${[file, ...args].join(' ')}: ${why}\n${stdout}${stderr}`.trim());
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export const npm = (args, cwd) => run('npm', [...args, '--no-audit', '--no-fund'], cwd);
