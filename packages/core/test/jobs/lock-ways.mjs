// @ts-check
// The ways in which a worker of a storm acquires a lock, or times out, or aborts.
import { hasCode } from '@sluice/core';

/** @import { AsyncLock, Lock } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */

/** @typedef {'lock' | 'try' | 'try for' | 'hurry' | 'async' | 'async for' | 'async, aborted'} LockWay */

/**
 * Returns whether the lock was acquired. Throws every error that is neither a timeout nor the abort.
 * @param {Lock & AsyncLock} lock @param {LockWay} way @param {JobContext['random']} random
 * @returns {boolean | Promise<boolean>}
 */
export function enterLock(lock, way, random) {
  if (way === 'lock') {
    lock.lock();
    return true;
  }
  if (way === 'try') return lock.tryLock();
  // Joins the line and leaves it at once. This is the shortest way to meet a lock during its hand-off.
  if (way === 'hurry') return lock.tryLock(0.001);
  // Mostly so short that the lock is handed over while the waiter times out.
  if (way === 'try for') return lock.tryLock(random.below(100) / (random.chance(80) ? 1000 : 50));
  if (way === 'async') return lock.lockAsync().then(() => true);
  if (way === 'async for') return orGivenUp(lock.lockAsync({ timeout: random.below(3) }), undefined);
  return enterUntilAborted(lock, random);
}

/** @param {AsyncLock} lock @param {JobContext['random']} random */
function enterUntilAborted(lock, random) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const dice = random.below(4);
  if (dice === 0) setTimeout(abort, random.below(3));
  else if (dice === 1) setImmediate(abort);
  const wait = orGivenUp(lock.lockAsync({ signal: controller.signal }), controller.signal);
  // Abort at once, so that the waiter leaves while others have just arrived.
  if (dice === 2) abort();
  else if (dice === 3) queueMicrotask(abort);
  return wait;
}

/** @param {Promise<void>} wait @param {AbortSignal | undefined} signal */
function orGivenUp(wait, signal) {
  return wait.then(
    () => true,
    (/** @type {unknown} */ failure) => {
      if (hasCode(failure, 'SLUICE_TIMEOUT') || (signal !== undefined && failure === signal.reason)) return false;
      throw failure;
    },
  );
}

/**
 * Whether an agent owns a lock, owns it as the heir of a dead owner, or does not own it. @typedef {'owner' | 'heir' |
 * 'none'} LineState
 */

/**
 * Returns the outcome of an attempt that may inherit the lock.
 * @param {() => boolean | Promise<boolean>} attempt
 * @returns {Promise<LineState>}
 */
export async function localStateAfter(attempt) {
  try {
    return (await attempt()) ? 'owner' : 'none';
  } catch (failure) {
    return recoveringOwnerOf(failure);
  }
}

/** Like `localStateAfter`, for a blocking attempt. @param {() => boolean} attempt @returns {LineState} */
export function localStateNow(attempt) {
  try {
    return attempt() ? 'owner' : 'none';
  } catch (failure) {
    return recoveringOwnerOf(failure);
  }
}

/** @param {unknown} failure @returns {LineState} */
function recoveringOwnerOf(failure) {
  const { guard } = /** @type {{ guard?: unknown }} */ (failure);
  if (hasCode(failure, 'SLUICE_OWNER_DIED') && guard !== undefined) return 'heir';
  throw failure;
}
