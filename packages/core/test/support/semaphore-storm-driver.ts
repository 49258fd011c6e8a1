// The driver of a death storm with semaphores and a lock.

import { hasCode, Semaphore, type RecoveryGuard } from '@sluice/core';
import type { Random } from '@sluice/harness';
import { lookAtPair, STAMPS, tally } from '../jobs/death-words.mjs';
import type { LifeData } from '../jobs/crash-life.mjs';
import type { CrashData } from '../jobs/crash.mjs';
import type { Way } from '../jobs/crash-ways.mjs';
import { SemaphoreLock } from '../jobs/semaphore-lock.mjs';
import { StormDriver } from './storm-driver.ts';
import type { Birth } from './death-workers.ts';
import { expectQuiet } from './stress.ts';

const MODULE = new URL('../jobs/crash.mjs', import.meta.url);
const WAYS: readonly Way[] = [
  'acquire',
  'try',
  'try for',
  'async',
  'async for',
  'async, aborted',
  'drain',
  'burst',
  'nested',
  'private',
  'found',
  'churn',
  'crowd',
];
const LOCK_WAYS: readonly Way[] = ['lock', 'lock for', 'lock async', 'run locked'];
/** How much more often than other acts some workers repeat one act. */
const DEVOTION = 3 * WAYS.length;

export class SemaphoreStormDriver extends StormDriver {
  readonly sems: readonly { readonly sem: Semaphore; readonly permits: number }[];
  readonly lock: SemaphoreLock | undefined;

  constructor(workers: number, buckets: number, locked: boolean) {
    super(workers, buckets);
    const { arena } = this;
    this.sems = [
      { permits: 2, sem: Semaphore.create(2, { arena, name: 'a' }) },
      { permits: 3, sem: Semaphore.create(3, { arena, name: 'b', max: 3 }) },
      { permits: 1, sem: Semaphore.create(1, { arena, name: 'c' }) },
    ];
    this.lock = locked ? SemaphoreLock.create({ arena, name: 'lock' }) : undefined;
  }

  override birth(life: LifeData, random: Random): Birth {
    const { lock, sems } = this;
    const devotions: Way[] = life.reclaims > 0 ? ['churn', 'crowd', 'recover', 'recover'] : ['churn', 'crowd'];
    const devoted = random.pick(devotions);
    const data: CrashData = {
      ...life,
      semaphores: sems.map(({ sem: { handle }, permits }) => ({ handle, permits })),
      lock: lock?.handle,
      ways: [
        ...WAYS,
        ...(lock === undefined ? [] : [...LOCK_WAYS, ...LOCK_WAYS]),
        ...Array.from({ length: random.chance(60) ? DEVOTION : 0 }, () => devoted),
      ],
      joins: 15,
      exact: true,
    };
    return { module: MODULE, job: 'live', data };
  }

  /** Permits of each semaphore, several permits of one semaphore, and the lock. */
  override async passThrough(timeout: number): Promise<void> {
    const all = this.sems.map(async ({ sem }, which) => {
      const count = sem.name === 'b' ? 2 : 1;
      await sem.acquireAsync(count, { timeout });
      Atomics.store(this.words, STAMPS + which, -1);
      sem.release(count);
    });
    await Promise.all([...all, this.#passThroughLock(timeout)]);
  }

  async #passThroughLock(timeout: number): Promise<void> {
    if (this.lock === undefined) return;
    try {
      await this.lock.lockAsync({ timeout });
      lookAtPair(this.words, false);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      lookAtPair(this.words, true);
      (failure as { readonly guard?: RecoveryGuard }).guard?.markConsistent();
      tally(this.words, 'locks inherited', 1);
    }
    this.lock.unlock();
  }

  override dump(): unknown {
    return this.sems.map(({ sem }) => sem.inspect());
  }

  protected override createOne(): Semaphore {
    return Semaphore.create(0, { arena: this.arena });
  }

  protected override freeOrphanedGate(address: number, tag: number): void {
    Semaphore.from({ ...this.control.handle, kind: 'sluice.semaphore', address, tag }).free();
  }

  protected override checkFree(): void {
    for (const { sem, permits } of this.sems) expectQuiet(this.arena, [sem], permits);
  }
}
