// A driver of death storms with locks behind capacitors.

import { CapacitorLock } from '@sluice/capacitor';
import type { Random } from '@sluice/harness';
import { TtsLock } from '@sluice/classics';
import type { LockDeed } from '../../../core/test/jobs/lock-life.mjs';
import type { LifeData } from '../../../core/test/jobs/crash-life.mjs';
import type { Birth } from '../../../core/test/support/death-workers.ts';
import { LockStormDriver, LOCK_DEEDS, type Owned } from '../../../core/test/support/lock-storm-driver.ts';
import { expectLockAtRest } from '../../../classics/test/support/lock-at-rest.ts';
import type { PairLifeData } from '../jobs/death.mjs';
import { openGate, type AnyGate } from '../jobs/gates.mjs';
import { expectGateAtRest } from './gate-at-rest.ts';
import { freeOrphanedGate } from './free-orphaned-gates.ts';

const MODULE = new URL('../jobs/death.mjs', import.meta.url);
const DEEDS: PairLifeData['deeds'] = [...LOCK_DEEDS, 'private'];
/** How many times as often some workers do one deed as any other. */
const DEVOTION = 3 * DEEDS.length;
const OPTIONS = [
  { bypassLimit: 'adaptive' },
  { bypassLimit: 10 },
  { bypassLimit: 3, lanes: 2, skipWhenUncontended: true, fraction: 0.1 },
] as const;
/** The inner lock has no queue: an agent admitted at a test-and-test-and-set lock does not own it yet. */
const NOWHERE = -1;

export class PairStormDriver extends LockStormDriver {
  protected override readonly locks: readonly CapacitorLock[];
  readonly #inner: readonly TtsLock[];
  readonly #gates: readonly AnyGate[];

  constructor(workers: number, buckets: number, exact: boolean) {
    super(workers, buckets, OPTIONS.length, exact);
    const { arena } = this;
    this.#inner = OPTIONS.map((_, which) => TtsLock.create({ arena, name: `inner ${which}` }));
    this.locks = this.#inner.map((inner, which) =>
      CapacitorLock.create(inner, { ...OPTIONS[which], name: `outer ${which}` }),
    );
    this.#gates = this.locks.map(({ handle: { gate } }) => {
      if (gate.kind === 'sluice.random-lanes' || gate.kind === 'sluice.semaphore-capacitor')
        throw new Error('these locks promise nothing, or have a gate of their own');
      return openGate(gate);
    });
  }

  override birth(life: LifeData, random: Random): Birth {
    const devoted = random.pick<LockDeed>(
      life.reclaims > 0 ? ['churn', 'crowd', 'recover', 'recover'] : ['churn', 'crowd'],
    );
    const data: PairLifeData = {
      ...life,
      pairs: this.locks.map(({ handle }, which) => ({ lock: handle, inner: this.#innerAt(which).handle })),
      guarded: this.guarded.handle,
      deeds: [...DEEDS, ...Array.from({ length: random.chance(60) ? DEVOTION : 0 }, () => devoted)],
    };
    return { module: MODULE, job: 'liveWithLocks', data };
  }

  protected override owners(): Owned[] {
    return this.#inner.map((lock) => ({ address: lock.handle.address, line: NOWHERE, owner: lock.inspect().owner }));
  }

  override dump(): unknown {
    return { inner: this.#inner.map((lock) => lock.inspect()), gates: this.#gates.map((gate) => gate.inspect()) };
  }

  protected override createOne(): TtsLock {
    return TtsLock.create({ arena: this.arena });
  }

  protected override freeOrphanedGate(address: number, tag: number): void {
    freeOrphanedGate(this.arena, this.registry.words, address, tag);
  }

  protected override checkFree(): void {
    for (const [which, gate] of this.#gates.entries()) {
      // Ends the turn of an agent that went out and would come back.
      gate.arrive();
      gate.depart();
      expectGateAtRest(this.arena, gate, false);
      expectLockAtRest(this.arena, this.#innerAt(which), false);
    }
  }

  #innerAt(which: number): TtsLock {
    const inner = this.#inner[which];
    if (inner === undefined) throw new Error(`there is no lock ${which}`);
    return inner;
  }
}
