import { atFullDepth, Session, soakSize, type Random } from '@sluice/harness';
import { Mutex, RecursiveMutex } from '@sluice/mutex';
import { expect, test } from 'vitest';
import type { LifeData } from '../../core/test/jobs/crash-life.mjs';
import { DeathStorm } from '../../core/test/support/death-storm.ts';
import type { Birth } from '../../core/test/support/death-workers.ts';
import { LockStormDriver, LOCK_DEEDS, type Owned } from '../../core/test/support/lock-storm-driver.ts';
import { expectOfficeAtRest } from '../../core/test/support/office-rest.ts';
import type { Deed, MutexLifeData } from './jobs/death.mjs';

const MODULE = new URL('./jobs/death.mjs', import.meta.url);
const DEEDS: readonly Deed[] = [...LOCK_DEEDS, 'private', 'found'];
/** How much more often than other acts some workers repeat one act. */
const DEVOTION = 3 * DEEDS.length;

/** Two mutexes, one of them recursive. */
class MutexStormDriver extends LockStormDriver {
  protected override readonly locks: readonly (Mutex | RecursiveMutex)[];

  constructor(workers: number, buckets: number, exact: boolean) {
    super(workers, buckets, 2, exact);
    const { arena } = this;
    this.locks = [
      Mutex.create({ arena, name: 'plain' }),
      RecursiveMutex.create({ arena, name: 'recursive', order: 'fifo' }),
    ];
  }

  override birth(life: LifeData, random: Random): Birth {
    const devoted = random.pick<Deed>(
      life.reclaims > 0 ? ['churn', 'crowd', 'recover', 'recover'] : ['churn', 'crowd'],
    );
    const data: MutexLifeData = {
      ...life,
      mutexes: this.locks.map(({ handle }) => handle),
      guarded: this.guarded.handle,
      deeds: [...DEEDS, ...Array.from({ length: random.chance(60) ? DEVOTION : 0 }, () => devoted)],
    };
    return { module: MODULE, job: 'live', data };
  }

  protected override owners(): Owned[] {
    return this.locks.map((lock) => ({
      address: lock.handle.address,
      line: lock.handle.address,
      owner: lock.inspect().owner,
    }));
  }

  override dump(): unknown {
    return this.locks.map((lock) => lock.inspect());
  }

  protected override createOne(): Mutex {
    return Mutex.create({ arena: this.arena });
  }

  protected override freeOrphanedGate(address: number, tag: number): void {
    Mutex.from({ ...this.control.handle, kind: 'sluice.mutex', address, tag }).free();
  }

  protected override checkFree(): void {
    for (const lock of this.locks) {
      expect(lock.inspect()).toMatchObject({
        owner: 0,
        depth: 0,
        consistency: 'consistent',
        waiters: [],
        abandoned: 0,
      });
      expectOfficeAtRest(this.arena, lock.handle);
    }
  }
}

const WORKERS = 5;
const STORMS = [
  ...atFullDepth(['the main thread recovers dead workers, with few buckets', { buckets: 4, reclaims: 0, deaths: 55 }]),
  ['the main thread and the workers recover dead workers', { buckets: 256, reclaims: 5, deaths: 55 }],
] as const;

test.each(STORMS)(
  'a mutex never has two owners, and is never lost, when %s',
  async (what, { buckets, reclaims, deaths }) => {
    const session = new Session(`mutexes: ${what}`);
    const driver = new MutexStormDriver(WORKERS, buckets, reclaims === 0);
    await new DeathStorm({ workers: WORKERS, reclaims, deaths: soakSize(deaths, 4000) }, session, driver).run();
  },
);
