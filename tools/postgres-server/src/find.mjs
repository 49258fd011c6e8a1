// @ts-check
// Where a Postgres server comes from: an address, programs on the PATH, or Debian's package.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env, geteuid, platform } from 'node:process';

/**
 * @typedef {{ kind: 'url', url: string }} Address a server that is running already
 * @typedef {{ kind: 'program', folder: string }} Program the folder of `initdb` and `postgres`
 * @typedef {{ kind: 'none', why: string }} None
 */

/** Where Debian puts the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';
const INSTALL_MS = 300_000;

/**
 * Looks in this order: `SLUICE_POSTGRES_URL` (`none` means: there is none), `postgres` on the PATH, Debian's package,
 * the same package installed as root.
 * @returns {Address | Program | None}
 */
export function findServer() {
  const url = env['SLUICE_POSTGRES_URL'] ?? '';
  if (url === 'none') return { kind: 'none', why: 'SLUICE_POSTGRES_URL is none' };
  if (url !== '') return { kind: 'url', url };
  return findProgram();
}

/**
 * Server programs, even if `SLUICE_POSTGRES_URL` names a running server: a test that kills its server needs one of its
 * own.
 * @returns {Program | None}
 */
export function findProgram() {
  if (env['SLUICE_POSTGRES_URL'] === 'none') return { kind: 'none', why: 'SLUICE_POSTGRES_URL is none' };
  const found = programs();
  if (found !== undefined) return found;
  if (platform !== 'linux' || geteuid?.() !== 0) return { kind: 'none', why: 'no postgres and initdb on the PATH' };
  install('postgresql');
  return programs() ?? { kind: 'none', why: 'no postgres on the PATH, and apt-get could not install one' };
}

/**
 * The path of pgbouncer. Undefined if there is none.
 * @returns {string | undefined}
 */
export function findPooler() {
  if (env['SLUICE_POSTGRES_URL'] === 'none') return undefined;
  const found = onPath('pgbouncer', ['/usr/sbin']);
  if (found !== undefined || platform !== 'linux' || geteuid?.() !== 0) return found;
  install('pgbouncer');
  return onPath('pgbouncer', ['/usr/sbin']);
}

/** @returns {Program | undefined} */
function programs() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(DEBIAN, version, 'bin'));
  const postgres = onPath('postgres', folders);
  if (postgres === undefined) return undefined;
  // A link on the PATH may be the only program there.
  const folder = join(realpathSync(postgres), '..');
  return existsSync(join(folder, 'initdb')) ? { kind: 'program', folder } : undefined;
}

/**
 * @param {string} name
 * @param {string[]} more
 * @returns {string | undefined}
 */
function onPath(name, more) {
  const folders = [...(env['PATH'] ?? '').split(delimiter), ...more].filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** @param {string} name */
function install(name) {
  // The package must not start its service.
  const quiet = { ...env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (/** @type {string[]} */ ...args) =>
    spawnSync('apt-get', args, { stdio: 'ignore', timeout: INSTALL_MS, env: quiet }).status === 0;
  const wanted = ['install', '--yes', '--no-install-recommends', name];
  // The package lists may be missing.
  if (!apt(...wanted) && apt('update')) apt(...wanted);
}
