// A driver of death storms with capacitors and a turnstile.

import { Capacitor, LanedCapacitor, Turnstile } from '@sluice/capacitor';
import { Region } from '@sluice/core';
import type { Random } from '@sluice/harness';
import type { LifeData } from '../../../core/test/jobs/crash-life.mjs';
import { StormDriver } from '../../../core/test/support/storm-driver.ts';
import type { Birth } from '../../../core/test/support/death-workers.ts';
import { Crowd, GATE_WORDS } from '../jobs/crowd-words.mjs';
import type { GateDeed, GateLifeData } from '../jobs/death.mjs';
import type { AnyGate } from '../jobs/gates.mjs';
import { expectGateAtRest } from './gate-at-rest.ts';
import { freeOrphanedGate } from './free-orphaned-gates.ts';
import { createDoor } from './platoons.ts';

const MODULE = new URL('../jobs/death.mjs', import.meta.url);
const WAYS: readonly GateDeed[] = ['lock', 'lock', 'try', 'try for', 'async', 'async for', 'async, aborted'];
const DEEDS: readonly GateDeed[] = [...WAYS, 'twice', 'burst', 'nested', 'churn', 'crowd', 'private', 'found'];
/** How many times as often some workers do one deed as any other. */
const DEVOTION = 3 * DEEDS.length;

export class GateStormDriver extends StormDriver {
  readonly #gates: readonly { readonly gate: AnyGate; readonly most: number }[];
  readonly #inside: Region;
  readonly #exact: boolean;
  readonly #workers: number;

  /**
   * `exact`: only the main thread recovers the dead, so it knows before the recovery which agents are no longer inside.
   */
  constructor(workers: number, buckets: number, exact: boolean) {
    super(workers, buckets);
    const { arena } = this;
    this.#exact = exact;
    this.#workers = workers;
    this.#gates = [
      { most: 3, gate: Capacitor.create({ arena, name: 'three', bypassLimit: 3 }) },
      { most: 1, gate: Capacitor.create({ arena, name: 'one', bypassLimit: 1 }) },
      { most: 3, gate: LanedCapacitor.create({ arena, name: 'lanes', bypassLimit: 3, lanes: 2 }) },
      { most: 0, gate: Turnstile.create({ arena, name: 'turns' }) },
    ];
    this.#inside = Region.create(4 * this.#gates.length * GATE_WORDS, { arena });
  }

  override birth(life: LifeData, random: Random): Birth {
    const devoted = random.pick<GateDeed>(
      life.reclaims > 0 ? ['churn', 'crowd', 'recover', 'recover'] : ['churn', 'crowd'],
    );
    const data: GateLifeData = {
      ...life,
      gates: this.#gates.map(({ gate: { handle }, most }) => ({ handle, most })),
      inside: this.#inside.handle,
      exact: this.#exact,
      deeds: [...DEEDS, ...Array.from({ length: random.chance(60) ? DEVOTION : 0 }, () => devoted)],
    };
    return { module: MODULE, job: 'liveAtGates', data };
  }

  override onExit(slot: number): void {
    for (const which of this.#gates.keys()) this.#crowd(which, slot).clear();
  }

  override async passThrough(timeout: number): Promise<void> {
    const all = this.#gates.map(async ({ gate }, which) => {
      const crowd = this.#crowd(which, this.#workers);
      await gate.arriveAsync({ timeout });
      crowd.enter();
      crowd.leave();
      gate.depart();
    });
    await Promise.all(all);
  }

  override dump(): unknown {
    const inside = this.#gates.map((_, which) => this.#inside.int32[which * GATE_WORDS]);
    return { gates: this.#gates.map(({ gate }) => gate.inspect()), inside };
  }

  /** Gates of both sizes: a block is reused only for a gate of its own size. */
  protected override createOne(): { free(): void } {
    const both = [createDoor(this.arena, 2), createDoor(this.arena, 2, 2)];
    return { free: () => both.forEach((one) => one.free()) };
  }

  protected override freeOrphanedGate(address: number, tag: number): void {
    freeOrphanedGate(this.arena, this.registry.words, address, tag);
  }

  protected override checkFree(): void {
    for (const { gate } of this.#gates) expectGateAtRest(this.arena, gate, false);
  }

  #crowd(which: number, slot: number): Crowd {
    return new Crowd(this.#inside.int32, which, slot, this.#gates[which]?.most ?? 0, this.#exact);
  }
}
