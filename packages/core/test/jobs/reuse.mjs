// @ts-check
// Workers that cancel waits, free the semaphore, and reuse its memory at once.
import { Arena, Semaphore } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';

/** @import { ArenaHandle } from '@sluice/core' */

/** In ms. Shorter than any wait takes, so the wait times out at once. */
const NO_TIME_MS = 1e-6;
/** The number of rounds between two reads of the clock. */
const ROUNDS_PER_LOOK = 64;

/**
 * Each round leaves a tombstone of a semaphore in a bucket that all agents share, frees the semaphore, and makes
 * another one in the same block. If a walker of a third semaphore acts on that tombstone too late, it rolls back a
 * ticket of the new semaphore. Then the only permit of the new semaphore exists twice.
 * @param {{ arena: ArenaHandle, ms: number, engine: 'wasm' | 'js' }} data
 */
export function abortFreeCreate({ arena: handle, ms, engine }) {
  const arena = Arena.from(handle, { engine: engine === 'js' ? jsEngine : undefined, policy: { spinMicros: 0 } });
  const seen = { rounds: 0, doubled: 0, wrong: 0, reused: 0 };
  for (const end = Date.now() + ms; Date.now() < end; ) {
    for (let round = 0; round < ROUNDS_PER_LOOK; round++) {
      const old = Semaphore.create(0, { arena, recovery: false });
      const { address } = old.handle;
      old.tryAcquire(1, NO_TIME_MS);
      old.free();
      const next = Semaphore.create(1, { arena, recovery: false });
      if (next.handle.address === address) seen.reused += 1;
      next.acquire();
      if (next.tryAcquire()) seen.doubled += 1;
      next.release();
      if (next.available !== 1) seen.wrong += 1;
      next.free();
    }
    seen.rounds += ROUNDS_PER_LOOK;
  }
  return seen;
}
