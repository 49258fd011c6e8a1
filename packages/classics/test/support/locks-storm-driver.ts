// A driver of death storms with the five locks.

import type { Random } from '@sluice/harness';
import { TtsLock } from '@sluice/classics';
import { BLOCK_KIND } from '../../../core/src/kernel/layout.ts';
import type { LifeData } from '../../../core/test/jobs/crash-life.mjs';
import type { Birth } from '../../../core/test/support/death-workers.ts';
import { LockStormDriver, LOCK_DEEDS, type Owned } from '../../../core/test/support/lock-storm-driver.ts';
import { LIFO, MCS, RECIPROCATING, TICKET, TTS } from '../../src/kinds.ts';
import type { Deed, LocksLifeData } from '../jobs/death.mjs';
import { KINDS, openLock, type LockHandle, type PlacedLock } from '../jobs/kinds.mjs';
import { expectLockAtRest } from './lock-at-rest.ts';

const MODULE = new URL('../jobs/death.mjs', import.meta.url);
const DEEDS: readonly Deed[] = [...LOCK_DEEDS, 'private', 'found'];
/** How many times as often some workers do one deed as any other. */
const DEVOTION = 3 * DEEDS.length;
/** This lock has no queue: a woken waiter of a test-and-test-and-set lock does not own it yet. */
const NOWHERE = -1;
const KIND_NAMES: ReadonlyMap<number, LockHandle['kind']> = new Map([
  [TTS.code, 'sluice.tts-lock'],
  [TICKET.code, 'sluice.ticket-lock'],
  [MCS.code, 'sluice.mcs-lock'],
  [LIFO.code, 'sluice.lifo-lock'],
  [RECIPROCATING.code, 'sluice.reciprocating-lock'],
]);

export class LocksStormDriver extends LockStormDriver {
  protected override readonly locks: readonly PlacedLock[];

  constructor(workers: number, buckets: number, exact: boolean) {
    const kinds = Object.entries(KINDS);
    super(workers, buckets, kinds.length, exact);
    const { arena } = this;
    this.locks = kinds.map(([name, Lock]) => Lock.create({ arena, name }));
  }

  override birth(life: LifeData, random: Random): Birth {
    const devoted = random.pick<Deed>(
      life.reclaims > 0 ? ['churn', 'crowd', 'recover', 'recover'] : ['churn', 'crowd'],
    );
    const data: LocksLifeData = {
      ...life,
      locks: this.locks.map(({ handle }) => handle),
      guarded: this.guarded.handle,
      deeds: [...DEEDS, ...Array.from({ length: random.chance(60) ? DEVOTION : 0 }, () => devoted)],
    };
    return { module: MODULE, job: 'live', data };
  }

  protected override owners(): Owned[] {
    return this.locks.map((lock) => {
      const { address } = lock.handle;
      return { address, line: lock instanceof TtsLock ? NOWHERE : address, owner: lock.inspect().owner };
    });
  }

  override dump(): unknown {
    return this.locks.map((lock) => lock.inspect());
  }

  protected override createOne(): TtsLock {
    return TtsLock.create({ arena: this.arena });
  }

  protected override freeOrphanedGate(address: number, tag: number): void {
    const kind = KIND_NAMES.get(this.registry.words.load32(address + BLOCK_KIND));
    if (kind === undefined) throw new Error(`there is no lock at ${address}`);
    openLock({ ...this.arena.handle, kind, address, tag }).free();
  }

  protected override checkFree(): void {
    for (const lock of this.locks) expectLockAtRest(this.arena, lock);
  }
}
