// Agents of one thread that do at random what agents do, in the middle of what others do, and die of it.

import type { Random } from '@sluice/harness';
import { expect } from 'vitest';
import { recordOf, recover, tidy } from '../../src/arena/reclaim.ts';
import { hasCode, Semaphore } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { BLOCK_TAG } from '../../src/kernel/layout.ts';
import { balanceFault, expectQuiet, expectRecovered } from './in-order.ts';
import { Death } from './crash.ts';
import { ALL_DEEDS } from './crash-run.ts';
import { World, type Agent } from './crash-world.ts';
import { signalByHand } from './signal-by-hand.ts';
import { turn } from './turn.ts';

const MOST_RANDOM_AGENTS = 5;
/** So deep may agents act in the middle of what others do. */
const MOST_DEPTH = 3;
const MOST_WAITS = 6;

interface Wait {
  readonly sem: number;
  readonly permits: number;
  readonly leave: () => void;
}

interface RandomAgent extends Agent {
  readonly sems: Semaphore[];
  /** By its own books, for each semaphore. */
  readonly held: number[];
  readonly waits: Set<Wait>;
  busy: boolean;
}

/** Rounds of recovery: each dead agent waits for at most one other. */
const MOST_ROUNDS = 1000;

export class RandomAgents {
  deaths = 0;
  acts = 0;
  readonly #world: World;
  readonly #random: Random;
  readonly #permits: readonly number[];
  /** The last of them is closed and freed from time to time, and another one takes its place. */
  readonly #handles: Semaphore['handle'][];
  /** Never dies and takes nothing: it looks after the others. */
  readonly #keeper: Agent;
  #randomAgents: RandomAgent[] = [];
  #dead: RandomAgent[] = [];
  #depth = 0;
  #checking = false;

  constructor(engine: Engine, random: Random, buckets: number, permits: readonly number[]) {
    this.#world = new World({ engine, pages: 4, buckets });
    this.#random = random;
    this.#permits = permits;
    this.#keeper = this.#world.join();
    this.#keeper.life.between = () => this.#interrupt();
    this.#handles = permits.map((count) => this.#create(count));
  }

  /** Some random acts of random agents, one of which may be about to die. */
  async act(count: number): Promise<void> {
    for (let done = 0; done < count; done++) {
      while (this.#living.length < MOST_RANDOM_AGENTS) this.#join();
      const randomAgent = this.#random.pick(this.#living);
      if (this.#random.chance(8)) randomAgent.life.count(ALL_DEEDS, this.#random.below(40));
      this.#run(randomAgent);
      if (this.#random.chance(30)) await this.#settle();
    }
  }

  /** Ends the deaths, recovers the dead agents, and checks that everything is in order. */
  async check(): Promise<void> {
    const { words } = this.#world;
    this.#checking = true;
    for (const randomAgent of this.#living) randomAgent.life.count([], 0);
    await this.#settle();
    this.#bury();
    await this.#settle();
    expectRecovered(this.#world, this.#ids, []);
    const open = this.#handles.filter((_, sem) => this.#isOpen(sem));
    const faults = open.map(({ address }, sem) => balanceFault(words, address, this.#books(sem)));
    expect(faults).toEqual(faults.map(() => undefined));
    if (!this.#isOpen(this.#last)) await this.#replace();
    this.#checking = false;
  }

  /** An agent frees the closed semaphore, or dies of it; then all open another. */
  async #replace(): Promise<void> {
    const sem = this.#last;
    const [randomAgent] = this.#living;
    expect(this.#books(sem).wanted).toBe(0);
    randomAgent?.life.count(ALL_DEEDS, this.#random.below(20));
    try {
      randomAgent?.sems[sem]?.free();
    } catch (failure) {
      if (!(failure instanceof Death)) throw failure;
      this.deaths += 1;
    }
    randomAgent?.life.count([], 0);
    this.#handles[sem] = this.#create(this.#permits[sem] ?? 0);
    for (const living of this.#living) {
      living.sems[sem] = this.#open(sem, living);
      living.held[sem] = 0;
    }
    this.#bury();
    await this.#settle();
    expectRecovered(this.#world, this.#ids, []);
  }

  /** The keeper recovers the dead, while the others act. */
  #bury(): void {
    const { context } = this.#keeper;
    this.#depth = 1;
    // All of them in turn: one may wait for another that recovered it, died, and cannot be asked any more.
    for (let rounds = 0; this.#lost.length > 0; rounds++) {
      if (rounds > MOST_ROUNDS) throw new Error(`The agents ${this.#lost.join(', ')} are not recovered after ${rounds} rounds.`);
      for (const dead of this.#lost) {
        const record = recordOf(context, dead);
        if (record !== 0) recover(context, record, dead, true);
      }
    }
    this.#depth = 0;
  }

  /** The dead agents that were not recovered yet. */
  get #lost(): number[] {
    return this.#dead.map(({ context }) => context.id).filter((id) => recordOf(this.#keeper.context, id) !== 0);
  }

  /** All that live give back what they hold and leave. */
  async end(): Promise<void> {
    await this.check();
    for (const randomAgent of this.#living) {
      for (const wait of randomAgent.waits) wait.leave();
      for (const [sem, held] of randomAgent.held.entries()) if (held > 0) this.#release(randomAgent, sem, held);
    }
    await this.#settle();
    for (const randomAgent of this.#living) for (const [sem, held] of randomAgent.held.entries()) if (held > 0) this.#release(randomAgent, sem, held);
    await this.#settle();
    tidy(this.#keeper.context);
    expectQuiet(this.#world, this.#ids, []);
    expect(this.#living[0]?.sems.map(({ available }) => available)).toEqual(this.#permits);
  }

  get #living(): readonly RandomAgent[] {
    this.#dead = [...this.#dead, ...this.#randomAgents.filter(({ life }) => life.isDead)];
    this.#randomAgents = this.#randomAgents.filter(({ life }) => !life.isDead);
    return this.#randomAgents;
  }

  get #ids(): number[] {
    return [this.#keeper, ...this.#living].map(({ context }) => context.id);
  }

  #books(sem: number): { permits: number; held: number; wanted: number } {
    const held = this.#living.reduce((sum, randomAgent) => sum + (randomAgent.held[sem] ?? 0), 0);
    const waits = this.#living.flatMap((randomAgent) => [...randomAgent.waits]).filter((wait) => wait.sem === sem);
    return { permits: this.#permits[sem] ?? 0, held, wanted: waits.reduce((sum, { permits }) => sum + permits, 0) };
  }

  get #last(): number {
    return this.#permits.length - 1;
  }

  #isOpen(sem: number): boolean {
    const { address = 0, tag } = this.#handles[sem] ?? {};
    return this.#world.words.load32(address + BLOCK_TAG) === tag;
  }

  #create(permits: number): Semaphore['handle'] {
    return Semaphore.create(permits, { arena: this.#keeper.arena }).handle;
  }

  #open(sem: number, agent: Agent): Semaphore {
    const handle = this.#handles[sem];
    if (handle === undefined) throw new Error('no such semaphore');
    return Semaphore.from(this.#world.handle(handle, agent));
  }

  #join(): void {
    const agent = this.#world.join();
    const sems = this.#handles.map((_, sem) => this.#open(sem, agent));
    this.#randomAgents.push({ ...agent, sems, held: sems.map(() => 0), waits: new Set(), busy: false });
    agent.life.between = () => this.#interrupt();
  }

  /** Others join or act in the middle of what one does. */
  #interrupt(): void {
    if (this.#depth === 0 || this.#depth >= MOST_DEPTH || !this.#random.chance(4)) return;
    if (this.#living.length < MOST_RANDOM_AGENTS) this.#join();
    for (let acts = this.#random.below(4); acts > 0; acts--) {
      const idle = this.#living.filter(({ busy }) => !busy);
      if (idle.length > 0) this.#run(this.#random.pick(idle));
    }
  }

  #run(randomAgent: RandomAgent): void {
    randomAgent.busy = true;
    this.#depth += 1;
    this.acts += 1;
    try {
      this.#doSomething(randomAgent);
    } catch (failure) {
      if (failure instanceof Death) this.deaths += 1;
      else if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    } finally {
      this.#depth -= 1;
      randomAgent.busy = false;
    }
  }

  #doSomething(randomAgent: RandomAgent): void {
    const sem = this.#random.below(this.#permits.length);
    const permits = this.#random.between(1, Math.min(3, this.#permits[sem] ?? 1));
    const held = randomAgent.held[sem] ?? 0;
    const kind = this.#random.below(100);
    if (kind < 30) this.#take(randomAgent, sem, permits);
    else if (kind < 55 && randomAgent.waits.size < MOST_WAITS) this.#wait(randomAgent, sem, permits);
    else if (kind < 80 && held > 0) this.#release(randomAgent, sem, this.#random.between(1, held));
    else if (kind < 90 && randomAgent.waits.size > 0) this.#random.pick([...randomAgent.waits]).leave();
    else if (kind < 93) randomAgent.held[sem] = held + (randomAgent.sems[sem]?.drain() ?? 0);
    else if (kind < 98) randomAgent.arena.reclaimDead();
    else if (sem === this.#last && !this.#checking) randomAgent.sems[sem]?.close();
  }

  #take(randomAgent: RandomAgent, sem: number, permits: number): void {
    const taken = randomAgent.sems[sem]?.tryAcquire(permits, this.#random.chance(40) ? 5 : 0) ?? false;
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

  /** Turns all event loops until nothing happens any more. Agents may die of what they wake up to. */
  async #settle(): Promise<void> {
    for (let any = true; any; ) {
      await turn();
      try {
        any = this.#world.lot.turn();
      } catch (failure) {
        if (!(failure instanceof Death)) throw failure;
        this.deaths += 1;
      }
    }
  }
}
