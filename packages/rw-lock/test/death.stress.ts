import { hasCode } from '@sluice/core';
import { atFullDepth, Session, soakSize, type Random } from '@sluice/harness';
import { RwLock, type WriterLock } from '@sluice/rw-lock';
import { expect, test } from 'vitest';
import { tally } from '../../core/test/jobs/death-words.mjs';
import { BLOCK_LINE } from '../../core/src/kernel/layout.ts';
import type { LifeData } from '../../core/test/jobs/crash-life.mjs';
import { DeathStorm } from '../../core/test/support/death-storm.ts';
import type { Birth } from '../../core/test/support/death-workers.ts';
import { LockStormDriver, LOCK_DEEDS, type Owned } from '../../core/test/support/lock-storm-driver.ts';
import { expectOfficeAtRest } from '../../core/test/support/office-rest.ts';
import type { Deed, RwLifeData } from './jobs/death.mjs';

const MODULE = new URL('./jobs/death.mjs', import.meta.url);
/** As many read deeds as write deeds. */
const READS: readonly Deed[] = Array.from({ length: 6 }, () => 'read');
const OTHER_READS: readonly Deed[] = ['read twice', 'read run', 'read churn', 'read crowd'];
const DEEDS: readonly Deed[] = [...LOCK_DEEDS, ...READS, ...OTHER_READS, 'private', 'found'];
/** How much more often than other acts some workers repeat one act. */
const DEVOTION = 3 * DEEDS.length;

class RwStormDriver extends LockStormDriver {
  protected override readonly locks: readonly WriterLock[];
  readonly #rwLocks: readonly RwLock[];

  constructor(workers: number, buckets: number, exact: boolean) {
    super(workers, buckets, 2, exact);
    this.#rwLocks = ['one', 'other'].map((name) => RwLock.create({ arena: this.arena, name }));
    this.locks = this.#rwLocks.map(({ writer }) => writer);
  }

  override birth(life: LifeData, random: Random): Birth {
    const recovering: Deed[] = life.reclaims > 0 ? ['recover', 'recover'] : [];
    const devoted = random.pick<Deed>(['churn', 'read churn', 'crowd', ...recovering]);
    const data: RwLifeData = {
      ...life,
      locks: this.#rwLocks.map(({ handle }) => handle),
      guarded: this.guarded.handle,
      deeds: [...DEEDS, ...Array.from({ length: random.chance(60) ? DEVOTION : 0 }, () => devoted)],
    };
    return { module: MODULE, job: 'live', data };
  }

  /** Writes, and reads unless another writer died meanwhile. */
  protected override async passThroughAll(timeout: number): Promise<void> {
    await super.passThroughAll(timeout);
    for (const [which, { reader }] of this.#rwLocks.entries()) {
      try {
        await reader.runAsync(() => this.guard(which).look(), { timeout });
      } catch (failure) {
        if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
        tally(this.words, 'readers refused', 1);
      }
    }
  }

  protected override owners(): Owned[] {
    return this.#rwLocks.map((lock) => {
      const { address } = lock.handle;
      return { address, line: address + BLOCK_LINE, owner: lock.inspect().writer };
    });
  }

  override dump(): unknown {
    return this.#rwLocks.map((lock) => lock.inspect());
  }

  protected override createOne(): RwLock {
    return RwLock.create({ arena: this.arena });
  }

  protected override freeOrphanedGate(address: number, tag: number): void {
    RwLock.from({ ...this.control.handle, kind: 'sluice.rw-lock', address, tag }).free();
  }

  protected override checkFree(): void {
    const free = { writer: 0, readers: [], consistency: 'consistent', waitingReaders: [], waitingWriters: [] };
    for (const lock of this.#rwLocks) {
      expect(lock.inspect()).toMatchObject(free);
      expectOfficeAtRest(this.arena, lock.handle, 2);
    }
  }
}

const WORKERS = 5;
const STORMS = [
  ...atFullDepth(['the main thread recovers dead workers, with few buckets', { buckets: 4, reclaims: 0, deaths: 55 }]),
  ['the main thread and the workers recover dead workers', { buckets: 256, reclaims: 5, deaths: 55 }],
] as const;

test.each(STORMS)(
  'no agent reads half-changed data of a dead writer or waits for a dead agent, when %s',
  async (what, storm) => {
    const { buckets, reclaims, deaths } = storm;
    const session = new Session(`read-write locks: ${what}`);
    const driver = new RwStormDriver(WORKERS, buckets, reclaims === 0);
    await new DeathStorm({ workers: WORKERS, reclaims, deaths: soakSize(deaths, 4000) }, session, driver).run();
  },
);
