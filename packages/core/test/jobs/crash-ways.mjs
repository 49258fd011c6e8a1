// @ts-check
// The ways in which a worker of a death storm acquires permits.
import { hasCode } from '@sluice/core';
import { tally } from './death-words.mjs';

/** @import { Arena, Semaphore } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */

/** @typedef {JobContext['random']} Random */
/**
 * @typedef {{ arena: Arena, Semaphore: typeof Semaphore, sems: Semaphore[] }} Copy a copy of the package, with its
 *   arena and semaphores
 */
/**
 * @typedef {'acquire' | 'try' | 'try for' | 'patient' | 'async' | 'async for' | 'async, aborted' | 'drain'} Entering
 */
/**
 * @typedef {Entering | 'burst' | 'nested' | 'private' | 'found' | 'churn' | 'crowd' | 'recover' | 'lock' | 'lock for'
 *   | 'lock async' | 'run locked'} Way
 */

/** In ms. Every successful wait is shorter. */
const PATIENCE_MS = 400;

/**
 * Returns the number of permits acquired.
 * @param {Semaphore} sem @param {Way} way @param {number} count @param {Random} random @param {Int32Array} words
 * @returns {number | Promise<number>}
 */
export function enter(sem, way, count, random, words) {
  if (way === 'drain') return sem.drain();
  if (way === 'try') return sem.tryAcquire(count) ? count : 0;
  if (way === 'try for') return sem.tryAcquire(count, random.between(1, 3)) ? count : 0;
  if (way === 'patient') {
    if (sem.tryAcquire(count, PATIENCE_MS)) return count;
    tally(words, 'lost patience', 1);
    return 0;
  }
  if (way === 'acquire') {
    sem.acquire(count);
    return count;
  }
  if (way === 'async') return sem.acquireAsync(count).then(() => count);
  const controller = new AbortController();
  if (way === 'async, aborted') setTimeout(() => controller.abort(), random.below(3));
  const wait = sem.acquireAsync(
    count,
    way === 'async for' ? { timeout: random.below(4) } : { signal: controller.signal },
  );
  return wait.then(
    () => count,
    (/** @type {unknown} */ failure) => {
      if (hasCode(failure, 'SLUICE_TIMEOUT') || failure === controller.signal.reason) return 0;
      throw failure;
    },
  );
}

/**
 * Acquires and releases without a pause, so that a death is likely within the package.
 * @param {Semaphore} sem @param {number} most @param {Random} random @param {() => void} mark to be called with the
 *   permits
 */
export function churn(sem, most, random, mark) {
  for (let times = random.below(200); times > 0; times--) {
    const count = random.between(1, most);
    if (!sem.tryAcquire(count, 0.05)) continue;
    mark();
    sem.release(count);
  }
}

/**
 * Begins many waits at once, so that a death is likely during the walk of a long chain.
 * @param {Semaphore} sem @param {Random} random @param {() => void} mark to be called with the permit
 */
export async function crowd(sem, random, mark) {
  const waits = Array.from({ length: 24 }, async () => {
    await sem.acquireAsync(1, { timeout: random.between(1, 4) });
    mark();
    sem.release();
  });
  for (const { status, reason } of /** @type {{ status: string, reason?: unknown }[]} */ (
    await Promise.allSettled(waits)
  )) {
    if (status === 'rejected' && !hasCode(reason, 'SLUICE_TIMEOUT')) throw reason;
  }
}

/**
 * Creates a semaphore of its own, uses it, and frees it.
 * @param {Copy} copy @param {Random} random @param {() => Promise<void>} dieIfDue
 */
export async function useOwn({ arena, Semaphore }, random, dieIfDue) {
  const own = Semaphore.create(1, { arena, name: `private of ${arena.agentId}` });
  own.acquire();
  const waits = [own.acquireAsync(1, { timeout: 2 }), own.acquireAsync(1, { timeout: 1 })];
  for (const wait of waits) wait.catch(() => undefined);
  if (own.tryAcquire(1, 0.1)) throw new Error('two holders had one permit');
  await dieIfDue();
  if (random.chance(50)) own.close();
  else own.release();
  for (const wait of waits) {
    await wait.then(
      () => own.release(),
      () => undefined,
    );
  }
  own.free();
}

/**
 * Creates and frees semaphores, so that a death is likely during a creation.
 * @param {Copy} copy @param {Random} random
 */
export function foundMany({ arena, Semaphore }, random) {
  const options = { arena, name: `private of ${arena.agentId}`, recovery: false };
  for (let times = random.below(200); times > 0; times--) Semaphore.create(0, options).free();
}
