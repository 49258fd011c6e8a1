// Agents of one thread that use semaphores at random within each other's steps, and die.

import type { Random } from '@sluice/harness';
import { expect } from 'vitest';
import { tidy } from '../../src/recovery/claim-dead-agent.ts';
import { hasCode, Semaphore } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { BLOCK_TAG } from '../../src/kernel/layout.ts';
import { balanceFault, expectQuiet, expectRecovered } from './in-order.ts';
import { ALL_DEEDS } from './crash-run.ts';
import type { Agent } from './crash-world.ts';
import { RandomActors, type Actor } from './random-actors.ts';
import { signalByHand } from './signal-by-hand.ts';

const MAX_WAITS = 6;

interface Wait {
  readonly sem: number;
  readonly permits: number;
  readonly leave: () => void;
}

interface RandomAgent extends Actor {
  readonly sems: Semaphore[];
  /** The permits held of each semaphore, according to the agent's own records. */
  readonly held: number[];
  readonly waits: Set<Wait>;
}

export class RandomAgents extends RandomActors<RandomAgent> {
  readonly #permits: readonly number[];
  /** The last semaphore is closed and freed from time to time, and another one replaces it. */
  readonly #handles: Semaphore['handle'][];
  #checking = false;

  constructor(engine: Engine, random: Random, buckets: number, permits: readonly number[]) {
    super(engine, random, buckets);
    this.#permits = permits;
    this.#handles = permits.map((count) => this.#create(count));
  }

  /** Ends the deaths, recovers the dead agents, and checks that everything is in order. */
  async check(): Promise<void> {
    const { words } = this.world;
    this.#checking = true;
    for (const randomAgent of this.living) randomAgent.life.count([], 0);
    await this.settle();
    this.recoverDead();
    await this.settle();
    expectRecovered(this.world, this.ids, []);
    const open = this.#handles.filter((_, sem) => this.#isOpen(sem));
    const faults = open.map(({ address }, sem) => balanceFault(words, address, this.#books(sem)));
    expect(faults).toEqual(faults.map(() => undefined));
    if (!this.#isOpen(this.#last)) await this.#replace();
    this.#checking = false;
  }

  /** Lets an agent free the closed semaphore, or die in the attempt. Then all agents open another one. */
  async #replace(): Promise<void> {
    const sem = this.#last;
    const [randomAgent] = this.living;
    expect(this.#books(sem).wanted).toBe(0);
    randomAgent?.life.count(ALL_DEEDS, this.random.below(20));
    this.mayDie(() => randomAgent?.sems[sem]?.free());
    randomAgent?.life.count([], 0);
    this.#handles[sem] = this.#create(this.#permits[sem] ?? 0);
    for (const living of this.living) {
      living.sems[sem] = this.#open(sem, living);
      living.held[sem] = 0;
    }
    this.recoverDead();
    await this.settle();
    expectRecovered(this.world, this.ids, []);
  }

  /** Lets all living agents release their permits and leave. */
  async end(): Promise<void> {
    await this.check();
    for (const randomAgent of this.living) {
      for (const wait of randomAgent.waits) wait.leave();
      for (const [sem, held] of randomAgent.held.entries()) if (held > 0) this.#release(randomAgent, sem, held);
    }
    await this.settle();
    for (const randomAgent of this.living)
      for (const [sem, held] of randomAgent.held.entries()) if (held > 0) this.#release(randomAgent, sem, held);
    await this.settle();
    tidy(this.keeper.context);
    expectQuiet(this.world, this.ids, []);
    expect(this.living[0]?.sems.map(({ available }) => available)).toEqual(this.#permits);
  }

  #books(sem: number): { permits: number; held: number; wanted: number } {
    const held = this.living.reduce((sum, randomAgent) => sum + (randomAgent.held[sem] ?? 0), 0);
    const waits = this.living.flatMap((randomAgent) => [...randomAgent.waits]).filter((wait) => wait.sem === sem);
    return { permits: this.#permits[sem] ?? 0, held, wanted: waits.reduce((sum, { permits }) => sum + permits, 0) };
  }

  get #last(): number {
    return this.#permits.length - 1;
  }

  #isOpen(sem: number): boolean {
    const { address = 0, tag } = this.#handles[sem] ?? {};
    return this.world.words.load32(address + BLOCK_TAG) === tag;
  }

  #create(permits: number): Semaphore['handle'] {
    return Semaphore.create(permits, { arena: this.keeper.arena }).handle;
  }

  #open(sem: number, agent: Agent): Semaphore {
    const handle = this.#handles[sem];
    if (handle === undefined) throw new Error('no such semaphore');
    return Semaphore.from(this.world.handle(handle, agent));
  }

  protected override equip(agent: Agent): RandomAgent {
    const sems = this.#handles.map((_, sem) => this.#open(sem, agent));
    return { ...agent, sems, held: sems.map(() => 0), waits: new Set(), busy: false };
  }

  protected override doSomething(randomAgent: RandomAgent): void {
    try {
      this.#use(randomAgent);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    }
  }

  #use(randomAgent: RandomAgent): void {
    const sem = this.random.below(this.#permits.length);
    const permits = this.random.between(1, Math.min(3, this.#permits[sem] ?? 1));
    const held = randomAgent.held[sem] ?? 0;
    const kind = this.random.below(100);
    if (kind < 30) this.#take(randomAgent, sem, permits);
    else if (kind < 55 && randomAgent.waits.size < MAX_WAITS) this.#wait(randomAgent, sem, permits);
    else if (kind < 80 && held > 0) this.#release(randomAgent, sem, this.random.between(1, held));
    else if (kind < 90 && randomAgent.waits.size > 0) this.random.pick([...randomAgent.waits]).leave();
    else if (kind < 93) randomAgent.held[sem] = held + (randomAgent.sems[sem]?.drain() ?? 0);
    else if (kind < 98) randomAgent.arena.reclaimDead();
    else if (sem === this.#last && !this.#checking) randomAgent.sems[sem]?.close();
  }

  #take(randomAgent: RandomAgent, sem: number, permits: number): void {
    const taken = randomAgent.sems[sem]?.tryAcquire(permits, this.random.chance(40) ? 5 : 0) ?? false;
    if (taken) randomAgent.held[sem] = (randomAgent.held[sem] ?? 0) + permits;
  }

  #release(randomAgent: RandomAgent, sem: number, permits: number): void {
    randomAgent.sems[sem]?.release(permits);
    randomAgent.held[sem] = (randomAgent.held[sem] ?? 0) - permits;
  }

  #wait(randomAgent: RandomAgent, sem: number, permits: number): void {
    const { signal, leave } = signalByHand();
    const wait: Wait = { sem, permits, leave };
    randomAgent.waits.add(wait);
    randomAgent.sems[sem]?.acquireAsync(permits, { signal, ref: false }).then(
      () => {
        randomAgent.waits.delete(wait);
        randomAgent.held[sem] = (randomAgent.held[sem] ?? 0) + permits;
      },
      () => randomAgent.waits.delete(wait),
    );
  }
}
