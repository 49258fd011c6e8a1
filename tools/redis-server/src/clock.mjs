// @ts-check
// A clock that a test sets, for a server of its own. The system's is left alone. After an idea of libfaketime, which
// does not work with jemalloc.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('clock-shim.c', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache/redis-server/', import.meta.url));
const COMPILE_MS = 30_000;

/**
 * @typedef {object} ServerClock
 * @property {Record<string, string>} env for the server
 * @property {(seconds: number) => void} set by how much the server's clock is ahead from now on
 * @property {() => void} remove
 */

/** The compiled library, or why there is none. @returns {{ library: string } | { why: string }} */
function shim() {
  const library = join(CACHE, 'clock-shim.so');
  if (existsSync(library)) return { library };
  if (platform !== 'linux') return { why: 'LD_PRELOAD needs Linux' };
  mkdirSync(CACHE, { recursive: true });
  const fresh = `${library}.${pid}`;
  const { status, stderr, error } = spawnSync('gcc', ['-shared', '-fPIC', '-O2', '-o', fresh, SOURCE], {
    encoding: 'utf8',
    timeout: COMPILE_MS,
  });
  if (status !== 0) return { why: `gcc: ${error?.message ?? stderr}` };
  renameSync(fresh, library);
  return { library };
}

/** Whether there is a clock that can be set; otherwise why not. @returns {string | undefined} */
export function noClock() {
  const made = shim();
  return 'why' in made ? made.why : undefined;
}

/** @returns {ServerClock} */
export function serverClock() {
  const made = shim();
  if ('why' in made) throw new Error(`There is no clock that can be set: ${made.why}`);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clock-'));
  const file = join(folder, 'ahead');
  writeFileSync(file, Buffer.alloc(8));
  const open = openSync(file, 'r+');
  return {
    env: { LD_PRELOAD: made.library, SLUICE_CLOCK_AHEAD: file },
    set: (seconds) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(seconds));
      writeSync(open, bytes, 0, 8, 0);
    },
    remove: () => {
      closeSync(open);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
