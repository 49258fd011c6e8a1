// Agents of one thread that act at random within each other's steps, and die there. A subclass defines their actions.

import type { Random } from '@sluice/harness';
import { recordOf, recover } from '../../src/recovery/claim-dead-agent.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { Death } from './crash.ts';
import { ALL_DEEDS } from './crash-run.ts';
import { World, type Agent } from './crash-world.ts';
import { turn } from './turn.ts';

const MAX_AGENTS = 5;
/** The maximum number of agents that act within each other's steps. */
const MAX_DEPTH = 3;
/** The number of rounds of recovery. The recovery of each dead agent waits for at most one other. */
const MAX_ROUNDS = 1000;

export interface Actor extends Agent {
  busy: boolean;
}

export abstract class RandomActors<Member extends Actor> {
  deaths = 0;
  acts = 0;
  protected readonly world: World;
  protected readonly random: Random;
  /** This agent never dies and holds nothing. It recovers the others. */
  protected readonly keeper: Agent;
  #actors: Member[] = [];
  #dead: Member[] = [];
  #depth = 0;

  constructor(engine: Engine, random: Random, buckets: number) {
    this.world = new World({ engine, pages: 4, buckets });
    this.random = random;
    this.keeper = this.world.join();
    this.keeper.life.between = () => this.#interrupt();
  }

  /** Prepares an agent that has joined. */
  protected abstract equip(agent: Agent): Member;

  protected abstract doSomething(actor: Member): void;

  /** Performs some random acts of random agents, one of which may die. */
  async act(count: number): Promise<void> {
    for (let done = 0; done < count; done++) {
      while (this.living.length < MAX_AGENTS) this.#join();
      const actor = this.random.pick(this.living);
      if (this.random.chance(8)) actor.life.count(ALL_DEEDS, this.random.below(40));
      this.#run(actor);
      if (this.random.chance(30)) await this.settle();
    }
  }

  protected get living(): readonly Member[] {
    this.#dead = [...this.#dead, ...this.#actors.filter(({ life }) => life.isDead)];
    this.#actors = this.#actors.filter(({ life }) => !life.isDead);
    return this.#actors;
  }

  protected get ids(): number[] {
    return [this.keeper, ...this.living].map(({ context }) => context.id);
  }

  /** Lets the keeper recover the dead agents while the others act. */
  protected recoverDead(): void {
    const { context } = this.keeper;
    this.#depth = 1;
    // Recover them in turn. One recovery may depend on another: its reclaimer died, and no agent can check that
    // reclaimer any more.
    for (let rounds = 0; this.#lost.length > 0; rounds++) {
      if (rounds > MAX_ROUNDS)
        throw new Error(`The agents ${this.#lost.join(', ')} are not recovered after ${rounds} rounds.`);
      for (const dead of this.#lost) {
        const record = recordOf(context, dead);
        if (record !== 0) recover(context, record, dead, true);
      }
    }
    this.#depth = 0;
  }

  /** Turns all event loops until nothing happens any more. Agents may die in their callbacks. */
  protected async settle(): Promise<void> {
    do await turn();
    while (this.mayDie(() => this.world.lot.turn()) ?? true);
  }

  /** Returns the result of an agent's act, or `undefined` if the agent dies in it. */
  protected mayDie<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (failure) {
      if (!(failure instanceof Death)) throw failure;
      this.deaths += 1;
      return undefined;
    }
  }

  /** Returns the dead agents that are not recovered yet. */
  get #lost(): number[] {
    return this.#dead.map(({ context }) => context.id).filter((id) => recordOf(this.keeper.context, id) !== 0);
  }

  #join(): void {
    const actor = this.equip(this.world.join());
    this.#actors.push(actor);
    actor.life.between = () => this.#interrupt();
  }

  /** Lets other agents join or act within the step of one agent. */
  #interrupt(): void {
    if (this.#depth === 0 || this.#depth >= MAX_DEPTH || !this.random.chance(4)) return;
    if (this.living.length < MAX_AGENTS) this.#join();
    for (let acts = this.random.below(4); acts > 0; acts--) {
      const idle = this.living.filter(({ busy }) => !busy);
      if (idle.length > 0) this.#run(this.random.pick(idle));
    }
  }

  #run(actor: Member): void {
    actor.busy = true;
    this.#depth += 1;
    this.acts += 1;
    try {
      this.mayDie(() => this.doSomething(actor));
    } finally {
      this.#depth -= 1;
      actor.busy = false;
    }
  }
}
