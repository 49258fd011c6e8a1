// @ts-check
// Where a Redis server comes from: an address, a program on the PATH, or Debian's package.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env, geteuid, pid, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ kind: 'url', url: string }} Address a server that is running already
 * @typedef {{ kind: 'program', command: string, libraries?: string }} Program a server that can be started
 * @typedef {{ kind: 'none', why: string }} None
 */

const CACHE = fileURLToPath(new URL('../../../.cache/redis-server/', import.meta.url));
const UNPACKED = join(CACHE, 'root');
const DOWNLOAD_MS = 60_000;

/** Debian's packages that the server consists of. What the system has already is not downloaded. */
const PACKAGES = ['redis-server', 'redis-tools', 'liblzf1', 'libjemalloc2', 'libatomic1'];

/**
 * Looks in this order: `SLUICE_REDIS_URL` (`none` means: there is none), `valkey-server` or `redis-server` on the PATH,
 * Debian's package unpacked into `.cache` without root, the same package installed as root.
 * @returns {Address | Program | None}
 */
export function findServer() {
  const url = env['SLUICE_REDIS_URL'] ?? '';
  if (url === 'none') return { kind: 'none', why: 'SLUICE_REDIS_URL is none' };
  if (url !== '') return { kind: 'url', url };
  return findProgram();
}

/**
 * A server program, even if `SLUICE_REDIS_URL` names a running server: a test that kills its server needs one of its
 * own.
 * @returns {Program | None}
 */
export function findProgram() {
  if (env['SLUICE_REDIS_URL'] === 'none') return { kind: 'none', why: 'SLUICE_REDIS_URL is none' };
  const onPath = programOnPath() ?? unpacked();
  if (onPath !== undefined) return onPath;
  if (platform !== 'linux') return { kind: 'none', why: 'no valkey-server or redis-server on the PATH' };
  return (
    unpack() ??
    install() ?? { kind: 'none', why: 'no valkey-server or redis-server on the PATH, and apt-get could not fetch one' }
  );
}

/** @returns {Program | undefined} */
function programOnPath() {
  for (const name of ['valkey-server', 'redis-server']) {
    for (const folder of (env['PATH'] ?? '').split(delimiter)) {
      const command = join(folder, name);
      if (folder !== '' && existsSync(command) && starts({ kind: 'program', command }))
        return { kind: 'program', command };
    }
  }
  return undefined;
}

/** @returns {Program | undefined} */
function unpacked() {
  const command = join(UNPACKED, 'usr', 'bin', 'redis-server');
  if (!existsSync(command)) return undefined;
  const folder = join(UNPACKED, 'usr', 'lib');
  const libraries = readdirSync(folder)
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => join(folder, name))
    .join(delimiter);
  /** @type {Program} */
  const program = { kind: 'program', command, libraries };
  return starts(program) ? program : undefined;
}

/** @returns {Program | undefined} */
function unpack() {
  const scratch = join(CACHE, `unpack-${pid}`);
  mkdirSync(scratch, { recursive: true });
  try {
    if (!fetchInto(scratch)) return undefined;
    for (const name of readdirSync(scratch).filter((file) => file.endsWith('.deb'))) {
      if (run('dpkg', ['-x', name, 'root'], scratch) !== 0) return undefined;
    }
    // Two processes may unpack at the same time: the first rename wins, and both results are the same.
    if (!existsSync(UNPACKED)) renameSync(join(scratch, 'root'), UNPACKED);
  } catch {
    // The other process was first.
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return unpacked();
}

/** @param {string} folder */
function fetchInto(folder) {
  const download = () => run('apt-get', ['download', ...PACKAGES], folder) === 0;
  if (download()) return true;
  // The package lists are missing: only root can fetch them.
  return geteuid?.() === 0 && run('apt-get', ['update'], folder) === 0 && download();
}

/** @returns {Program | undefined} */
function install() {
  if (geteuid?.() !== 0) return undefined;
  // The package must not start its service.
  const quiet = { RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['install', '--yes', '--no-install-recommends', 'redis-server'], CACHE, quiet);
  return programOnPath();
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} more
 */
function run(command, args, cwd, more = {}) {
  return spawnSync(command, args, { cwd, stdio: 'ignore', timeout: DOWNLOAD_MS, env: { ...env, ...more } }).status;
}

/** Whether the program runs here: a library may be missing. @param {Program} program */
function starts(program) {
  return (
    spawnSync(program.command, ['--version'], { stdio: 'ignore', timeout: 5000, env: environmentOf(program) })
      .status === 0
  );
}

/**
 * @param {Program} program
 * @param {Record<string, string>} more
 */
export function environmentOf(program, more = {}) {
  return { ...env, ...(program.libraries === undefined ? {} : { LD_LIBRARY_PATH: program.libraries }), ...more };
}
