// @ts-check
import { execFile } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runForJson } from './jobs.mjs';
import { patienceFor } from './mutexbench.mjs';
import { patienceFor as semabenchPatience } from './semabench.mjs';

/**
 * @typedef {object} NativeUncontended
 * @property {number} pairNanosMin
 * @property {number} pairNanosMedian
 * @property {number} twoAddsNanosMin
 * @property {number} twoAddsNanosMedian
 */

/**
 * @typedef {object} Native
 * @property {(lock: NativeLock, pairs: number) => Promise<NativeUncontended>} uncontended
 * @property {(lock: NativeLock, point: NativePoint) => Promise<SemabenchResult>} semabench
 * @property {(lock: NativeMutex, point: MutexbenchPoint) => Promise<MutexbenchResult>} mutexbench
 * @property {(point: { threads: number, seconds: number, warmUpSeconds: number }) => Promise<BarrierResult>} barrier
 */

/** @typedef {'ticket' | 'array' | 'chain' | 'monitor' | 'location'} Listing */
/** @typedef {'twa' | 'posix' | 'twa-futex' | 'ticket-proportional' | `${Listing}-${'spin' | 'futex'}`} NativeLock */
/** @typedef {'tts' | 'pthread' | 'capacitor' | 'ticket' | 'ticket-capacitor'} NativeMutex */
/** @typedef {import('./mutexbench.mjs').MutexbenchPoint} MutexbenchPoint */
/** @typedef {import('./mutexbench.mjs').MutexbenchResult} MutexbenchResult */
/** @typedef {import('./semabench.mjs').SemabenchPoint} NativePoint */
/** @typedef {import('../jobs/semabench.mjs').SemabenchResult} SemabenchResult */
/** @typedef {import('../jobs/barrier.mjs').BarrierResult} BarrierResult */

const source = new URL('../../native/', import.meta.url);
const cache = new URL('../../.cache/', import.meta.url);
const binary = fileURLToPath(new URL('sluice-native', cache));

/**
 * The C++ program, built when a source is newer; or the reason why there is none.
 * @returns {Promise<Native | string>}
 */
export async function buildNative() {
  if (process.platform !== 'linux') return 'the C++ program waits on futexes, which only Linux has';
  try {
    if (await isStale()) await compile();
  } catch (error) {
    return `no C++ program: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  }
  return {
    async uncontended(lock, pairs) {
      const result = await runForJson(binary, ['uncontended', String(pairs), '--lock', lock], 60_000);
      return /** @type {NativeUncontended} */ (result);
    },
    async semabench(lock, point) {
      const { workers, seconds, warmUpSeconds, patienceSeconds } = point;
      const args = ['semabench', String(workers), String(seconds), '--lock', lock];
      args.push('--warm-up', String(warmUpSeconds), '--patience', String(patienceSeconds));
      return /** @type {SemabenchResult} */ (await runForJson(binary, args, semabenchPatience(point)));
    },
    async barrier({ threads, seconds, warmUpSeconds }) {
      const args = ['barrier', String(threads), String(seconds), '--warm-up', String(warmUpSeconds)];
      return /** @type {BarrierResult} */ (await runForJson(binary, args, (seconds + warmUpSeconds) * 1000 + 30_000));
    },
    async mutexbench(lock, point) {
      const { workers, seconds, warmUpSeconds, recordSeconds, privateStep } = point;
      const args = ['mutexbench', String(workers), String(seconds), '--lock', lock];
      args.push('--warm-up', String(warmUpSeconds), '--record', String(recordSeconds));
      if (privateStep) args.push('--private-step');
      return /** @type {MutexbenchResult} */ (await runForJson(binary, args, patienceFor(point)));
    },
  };
}

async function isStale() {
  const built = await stat(binary).catch(() => null);
  if (built === null) return true;
  const files = (await readdir(source)).filter((name) => /\.[ch]pp$/.test(name));
  const times = await Promise.all(files.map(async (name) => (await stat(new URL(name, source))).mtimeMs));
  return Math.max(...times) > built.mtimeMs;
}

async function compile() {
  await mkdir(cache, { recursive: true });
  const args = ['-std=c++20', '-O2', '-pthread', '-Wall', '-Wextra', 'main.cpp', '-o', binary];
  await promisify(execFile)(process.env.CXX ?? 'g++', args, { cwd: source, timeout: 120_000 });
}
