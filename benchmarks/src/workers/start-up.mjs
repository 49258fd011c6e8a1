// @ts-check
// Imports the core that it is told, and opens its first semaphore.
import module from 'node:module';
import { workerData } from 'node:worker_threads';

/**
 * @typedef {object} Given
 * @property {string} core
 * @property {import('@sluice/core').SemaphoreHandle} handle
 * @property {import('../jobs/start-up.mjs').Step} step
 * @property {string | undefined} compileCache
 */

const { core, handle, step, compileCache } = /** @type {Given} */ (workerData);
if (compileCache !== undefined) {
  // Node.js 22.1 and newer.
  const { enableCompileCache } = /** @type {{ enableCompileCache: (folder: string) => { status: number } }} */ (
    /** @type {unknown} */ (module)
  );
  if (enableCompileCache(compileCache).status === 0) throw new Error('Node.js uses no compile cache.');
}
const { Semaphore } = /** @type {typeof import('@sluice/core')} */ (await import(core));
if (step !== 'import') {
  const semaphore = Semaphore.from(handle);
  if (step === 'pair') {
    semaphore.acquire();
    semaphore.release();
  }
}
