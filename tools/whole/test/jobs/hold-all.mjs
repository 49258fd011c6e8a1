// @ts-check
// A worker that holds several locks of several kinds at once, in random order, and changes words that are not atomic.
import { hasCode, Region, runAll, runAllAsync, Semaphore, tryHoldAll } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { KeyedMutex } from '@sluice/named';
import { RwLock } from '@sluice/rw-lock';
import { workerData } from 'node:worker_threads';
import { Random } from '../../../harness/src/random.mjs';

/** @import { PlacedLock, RecoveryGuard } from '@sluice/core' */

/** The number of permits of the semaphore. */
export const SLOTS = 3;
/** The words: one under each exclusive lock, the last one under the writer of the table. */
export const MUTEXES = 3;
export const KEYS = 3;
export const TABLE = MUTEXES + KEYS;
/** For each of these words, how often it was changed, counted atomically. */
export const COUNTED = TABLE + 1;
/** The number of permits that are held. */
export const INSIDE = 2 * COUNTED;
/** The worker counts its rounds, so that the main thread knows that it works. */
export const ROUNDS = INSIDE + 1;
/** 1 if more permits were held at once than there are. */
export const TOO_MANY = ROUNDS + 1;
export const WORDS = TOO_MANY + 1;

/**
 * @typedef {{ mutexes: import('@sluice/mutex').MutexHandle[], keyed: import('@sluice/named').KeyedMutexHandle,
 *   table: import('@sluice/rw-lock').RwLockHandle, slots: import('@sluice/core').SemaphoreHandle,
 *   words: import('@sluice/core').RegionHandle, rounds: number, seed: number }} HoldAllData
 */

/** @param {HoldAllData} data */
export async function holdMany({
  mutexes: handles,
  keyed: keyedHandle,
  table: tableHandle,
  slots: slotsHandle,
  words: region,
  rounds,
  seed,
}) {
  const random = new Random(seed);
  const mutexes = handles.map((handle) => Mutex.from(handle));
  const keyed = KeyedMutex.from(keyedHandle);
  const table = RwLock.from(tableHandle);
  const slots = Semaphore.from(slotsHandle);
  const words = Region.from(region).int32;

  /** @returns {{ lock: PlacedLock, word: number, permits: number }} */
  const draw = () => {
    const which = random.below(MUTEXES + KEYS + 3);
    if (which < MUTEXES) return { lock: /** @type {Mutex} */ (mutexes[which]), word: which, permits: 0 };
    if (which < TABLE) return { lock: keyed.at(`key ${which}`), word: which, permits: 0 };
    if (which === TABLE) return { lock: table.writer, word: TABLE, permits: 0 };
    if (which === TABLE + 1) return { lock: table.reader, word: -1, permits: 0 };
    return { lock: slots.asLock(), word: -1, permits: 1 };
  };

  for (let round = 0; round < rounds; round++) {
    const drawn = Array.from({ length: random.between(1, 4) }, draw);
    const permits = drawn.reduce((sum, { permits: some }) => sum + some, 0);
    if (permits > SLOTS) continue;
    const locks = drawn.map(({ lock }) => lock);
    const changed = new Set(drawn.map(({ word }) => word).filter((word) => word >= 0));
    const body = () => {
      for (const word of changed) {
        Atomics.add(words, COUNTED + word, 1);
        // Not atomic: two simultaneous owners would lose one of two changes.
        words[word] = (words[word] ?? 0) + 1;
      }
      if (permits === 0) return;
      if (Atomics.add(words, INSIDE, permits) + permits > SLOTS) Atomics.store(words, TOO_MANY, 1);
      Atomics.sub(words, INSIDE, permits);
    };
    const onOwnerDied = (/** @type {RecoveryGuard} */ guard) => guard.markConsistent();
    const how = random.below(6);
    try {
      if (how === 0) await runAllAsync(locks, body, { onOwnerDied });
      else if (how === 1) await runAllAsync(locks, body, { onOwnerDied, timeout: random.below(3) });
      else if (how === 2) {
        const guard = tryHoldAll(locks, random.below(3) / 2);
        if (guard === null) continue;
        body();
        guard.release();
      } else runAll(locks, body, { onOwnerDied });
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_OWNER_DIED'))
        await repair(
          failure.guard,
          drawn.some(({ word }) => word < 0),
        );
      else if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
    }
    Atomics.add(words, ROUNDS, 1);
  }

  /**
   * `tryHoldAll` holds all locks if its error has a guard. A reader is refused until a writer has repaired the table.
   * @param {RecoveryGuard | undefined} guard
   * @param {boolean} hasReader
   */
  async function repair(guard, hasReader) {
    guard?.markConsistent();
    guard?.release();
    if (guard === undefined && hasReader)
      await table.writer.runAsync(() => undefined, { onOwnerDied: (mine) => mine.markConsistent() });
  }
}

if (workerData !== null && typeof workerData === 'object' && 'mutexes' in workerData)
  void holdMany(/** @type {HoldAllData} */ (workerData));
