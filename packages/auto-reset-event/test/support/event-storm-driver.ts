// A driver of death storms with events. Each event has one signal, the baton. After each death the driver decides
// whether the dead worker had the baton. If it did, the main thread signals again. A baton lost in another way, or held
// twice, is a failure.

import { AutoResetEvent } from '@sluice/auto-reset-event';
import { hasCode, Region } from '@sluice/core';
import type { Random } from '@sluice/harness';
import { expect } from 'vitest';
import type { LifeData } from '../../../core/test/jobs/crash-life.mjs';
import { StormDriver } from '../../../core/test/support/storm-driver.ts';
import type { Birth, Crashing } from '../../../core/test/support/death-workers.ts';
import { expectOfficeAtRest } from '../../../core/test/support/office-rest.ts';
import { HEADER_AGENT_POOL, OFFICE } from '../../../core/src/kernel/layout.ts';
import { LINKED, PARKED } from '../../../core/src/kernel/states.ts';
import { BATONS, dealing, DEALINGS, HEARD, HOLDERS, RUNG, type Deed, type EventLifeData } from '../jobs/death.mjs';

const MODULE = new URL('../jobs/death.mjs', import.meta.url);
const DEEDS: readonly Deed[] = [
  'lock',
  'try',
  'try for',
  'async',
  'async for',
  'async, aborted',
  'reset',
  'all',
  'churn',
  'bell',
  'private',
  'found',
];
/** How many times as often some workers do one deed as any other. */
const DEVOTION = 3 * DEEDS.length;
/** The holder's number while the main thread holds a baton. */
const MAIN = -1;
/** The time in ms that the main thread waits for a baton that may be lost. */
const TIMEOUT_MS = 20;

interface Baton {
  readonly event: AutoResetEvent;
  readonly which: number;
  /** Batons of workers that died between the consume and its mark, or between the mark and the signal. */
  unclear: boolean;
  /** What the last check of the agents at the baton found. */
  seen: string | undefined;
}

export class EventStormDriver extends StormDriver {
  /** The number of batons that dead workers held, and the number that they may have held. */
  givenForTheDead = 0;
  lostUnseen = 0;
  readonly #batons: readonly Baton[];
  readonly #bell: AutoResetEvent;
  readonly #region: Region;
  readonly #marks: Int32Array;
  /** Waits of the main thread for batons. */
  #passing = 0;

  constructor(workers: number, buckets: number) {
    super(workers, buckets);
    const { arena } = this;
    this.#batons = Array.from({ length: BATONS }, (_, which) => {
      const event = AutoResetEvent.create({ arena, name: `baton ${which}` });
      event.signal();
      return { event, which, unclear: false, seen: undefined };
    });
    this.#bell = AutoResetEvent.create({ arena, name: 'bell' });
    this.#region = Region.create(4 * (DEALINGS + workers * BATONS), { arena });
    this.#marks = this.#region.int32;
  }

  override birth(life: LifeData, random: Random): Birth {
    const data: EventLifeData = {
      ...life,
      batons: this.#batons.map(({ event }) => event.handle),
      bell: this.#bell.handle,
      marks: this.#region.handle,
      deeds: [...DEEDS, ...Array.from({ length: random.chance(40) ? DEVOTION : 0 }, () => 'churn' as const)],
    };
    return { module: MODULE, job: 'live', data };
  }

  override onExit(slot: number, thread: number): void {
    const waits = this.registry.waitsOf(thread);
    for (const baton of this.#batons) {
      const { event, which } = baton;
      if (Atomics.exchange(this.#marks, dealing(slot, which), 0) % 2 === 0) continue;
      if (Atomics.compareExchange(this.#marks, HOLDERS + which, slot + 1, 0) === slot + 1) {
        this.givenForTheDead += 1;
        event.signal();
      } else if (!waits.some(({ at }) => at === event.handle.address)) {
        baton.unclear = true;
      }
    }
  }

  /** Finds lost batons. */
  override look(alive: ReadonlySet<Crashing>): void {
    for (const baton of this.#batons) {
      const seen = this.#waitersIfLost(baton, alive);
      // The same as at the last check: in between, none of these agents used the baton.
      if (seen !== undefined && seen === baton.seen) this.#giveLost(baton);
      baton.seen = seen;
    }
  }

  /** Returns the agents that use the baton, if none of them holds it and no signal is granted to one of them. */
  #waitersIfLost({ event, which }: Baton, alive: ReadonlySet<Crashing>): string | undefined {
    // Read this first: if the check below finds the agents as at the last check, they were so at this moment, too.
    const office = this.#officeOf(event);
    if (office > 0 || this.#passing > 0 || Atomics.load(this.#marks, HOLDERS + which) !== 0) return undefined;
    const agents = new Set([this.arena.agentId]);
    const seen: string[] = [];
    let waiters = 0;
    for (const { slot, thread, exitedAt } of alive) {
      for (const agent of this.registry.agentsOf(thread)) agents.add(agent);
      const dealings = Atomics.load(this.#marks, dealing(slot, which));
      const wait = this.registry.waitsOf(thread).find(({ at }) => at === event.handle.address);
      const waits = wait !== undefined && !wait.leaving && (wait.gate === LINKED || wait.gate === PARKED);
      if (exitedAt !== 0 || (dealings % 2 === 1 && !waits)) return undefined;
      if (waits) waiters += 1;
      seen.push(`${thread} ${dealings} ${wait?.key}`);
    }
    // A dead, unrecovered agent may have the baton, and OFFICE does not count the permits under way.
    const others = this.registry.owners(HEADER_AGENT_POOL).some((agent) => !agents.has(agent));
    return others || office !== -waiters ? undefined : seen.join(', ');
  }

  #giveLost(baton: Baton): void {
    if (!baton.unclear) throw new Error(`Baton ${baton.which} is lost, and no dead worker had it.`);
    this.lostUnseen += 1;
    baton.unclear = false;
    baton.event.signal();
  }

  #officeOf({ handle }: AutoResetEvent): number {
    return this.registry.words.load32(handle.address + OFFICE);
  }

  override async passThrough(): Promise<void> {
    this.#passing += 1;
    await Promise.all(this.#batons.map((baton) => this.#passOne(baton)));
    this.#passing -= 1;
  }

  async #passOne(baton: Baton): Promise<void> {
    try {
      await baton.event.waitAsync({ timeout: TIMEOUT_MS });
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
      return;
    }
    // The baton is there.
    baton.unclear = false;
    expect(Atomics.exchange(this.#marks, HOLDERS + baton.which, MAIN)).toBe(0);
    Atomics.store(this.#marks, HOLDERS + baton.which, 0);
    baton.event.signal();
  }

  override dump(): unknown {
    const batons = this.#batons.map(({ event, unclear }) => ({
      ...event.inspect(),
      office: this.#officeOf(event),
      unclear,
    }));
    return { batons, bell: this.#bell.inspect(), marks: [...this.#marks.subarray(HOLDERS)] };
  }

  protected override createOne(): AutoResetEvent {
    return AutoResetEvent.create({ arena: this.arena });
  }

  protected override freeOrphanedGate(address: number, tag: number): void {
    AutoResetEvent.from({ ...this.control.handle, kind: 'sluice.auto-reset-event', address, tag }).free();
  }

  protected override checkFree(): void {
    for (const baton of this.#batons) {
      if (!baton.event.inspect().signalled) this.#giveLost(baton);
      baton.unclear = false;
      expect(baton.event.inspect()).toMatchObject({ signalled: true, waiters: [], abandoned: 0 });
      expectOfficeAtRest(this.arena, baton.event.handle, 1, 1n);
    }
    const [rung = 0, heard = 0] = [RUNG, HEARD].map((word) => Atomics.load(this.#marks, word));
    expect(heard).toBeLessThanOrEqual(rung);
    const kept = this.#bell.inspect().signalled;
    expectOfficeAtRest(this.arena, this.#bell.handle, 1, kept ? 1n : 0n);
  }
}
