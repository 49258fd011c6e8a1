// A scene for one death: a living agent with semaphores, two that recover, and the victim.

import { records } from '../../src/memory/records.ts';
import { hasCode, Region, Semaphore, type SluiceErrorCode } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { HEADER_AGENT_POOL } from '../../src/kernel/layout.ts';
import type { Words } from '../../src/kernel/words.ts';
import type { SemaphoreOptions } from '../../src/semaphore/options.ts';
import type { SemaphoreLock } from '../jobs/semaphore-lock.mjs';
import { ShadowLockUser } from './shadow-lock-user.ts';
import { Death, Life, type Deed } from './crash.ts';
import { World, type Agent, type WorldOptions } from './crash-world.ts';
import { ShadowUser } from './shadow-user.ts';

export type Act = () => unknown;

/** Living agents at one primitive, with books of their own. */
export interface Witness {
  /** What all will have been told in the end, once the victim has died. */
  expected(words: Words, victim: number): readonly string[];
  /** Lets all have their turn, and looks whether that is so. */
  finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void>;
  /**
   * What is there twice, after a death in the middle of a step. Things may be lost then, so no waiter must get its
   * turn; `how`: the waiters go on waiting, or cancel first.
   */
  doubled?(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]>;
}

/** What takes the place of the core's semaphore: the same calls. */
export interface SemaphoreKind {
  create(permits: number, options: SemaphoreOptions): Semaphore;
  from(handle: Semaphore['handle']): Semaphore;
}

export interface Operation {
  readonly name: string;
  /** Whose semaphores are on the stage. Default: the core's. */
  readonly semaphores?: SemaphoreKind;
  readonly world?: Partial<WorldOptions>;
  /** The victim joins during the operation. */
  readonly joins?: true;
  /**
   * What its recovery gives back may be granted to its own waits, which are given up later: a report counts them as
   * given back.
   */
  readonly cascades?: true;
  /** What its waits have collected is given back, too: a report counts as many permits as are foretold, or more. */
  readonly collects?: true;
  /** So many deeds that to let two agents die in it takes too long. */
  readonly large?: true;
  /** What is so before; the result is what the victim does. */
  readonly prepare: (stage: Stage) => Act | Promise<Act>;
}

export type Bare = 'reclaimer' | 'third';

export class Stage {
  readonly world: World;
  readonly living: Agent;
  readonly reclaimer: Agent;
  readonly third: Agent;
  readonly shadowUsers: ShadowUser[] = [];
  readonly witnesses: Witness[] = [];
  /** Ids of agents that only have their records. */
  readonly bystanders: number[] = [];
  readonly life: Life;
  readonly #semaphores: SemaphoreKind;
  #victim: Agent | undefined;

  /** `bare`: which agent has loaded no kind. */
  constructor(
    { world = {}, joins, semaphores = Semaphore }: Pick<Operation, 'world' | 'joins' | 'semaphores'>,
    engine: Engine,
    bare?: Bare,
  ) {
    this.#semaphores = semaphores;
    this.world = new World({ engine, ...world });
    this.living = this.world.join();
    this.reclaimer = this.world.join(undefined, bare !== 'reclaimer');
    this.third = this.world.join(undefined, bare !== 'third');
    this.life = new Life(this.world.lot);
    if (joins !== true) this.joinVictim();
  }

  joinVictim(): void {
    this.#victim = this.world.join(this.life);
  }

  get victim(): Agent {
    if (this.#victim === undefined) throw new Error('The victim has not joined.');
    return this.#victim;
  }

  /** A semaphore of the living agent, and the victim's own instance of it. */
  semaphore(permits: number, options: SemaphoreOptions = {}): { ours: ShadowUser; theirs: Semaphore } {
    const ours = this.shadowUser(permits, options);
    return { ours, theirs: this.open(ours) };
  }

  shadowUser(permits: number, options: SemaphoreOptions = {}): ShadowUser {
    const shadowUser = new ShadowUser(
      this.#semaphores.create(permits, { arena: this.living.arena, ...options }),
      permits,
    );
    this.shadowUsers.push(shadowUser);
    return shadowUser;
  }

  open(shadowUser: ShadowUser): Semaphore {
    return this.openAs(shadowUser, this.victim);
  }

  openAs({ sem }: ShadowUser, agent: Agent): Semaphore {
    return this.#semaphores.from(this.world.handle(sem.handle, agent));
  }

  openRegion({ handle }: Region): Region {
    return Region.from(this.world.handle(handle, this.victim));
  }

  lock(): { ours: ShadowLockUser; theirs: SemaphoreLock } {
    const ours = new ShadowLockUser(this.living.arena);
    this.witnesses.push(ours);
    return { ours, theirs: ours.at(this.victim, this.world) };
  }

  settle(): Promise<void> {
    return this.world.settle();
  }

  /** The record of the victim, or of the agent with that id; 0: it has none. */
  recordOf(id: number): number {
    for (const { record, owner } of records(this.world.words, HEADER_AGENT_POOL)) if (owner === id) return record;
    return 0;
  }
}

/** Lets an agent act until it dies before its deed number `last`, from 0; whether it lived to the end. */
export async function outlives(life: Life, act: Act, kinds: readonly Deed[], last: number): Promise<boolean> {
  life.count(kinds, last);
  try {
    await act();
  } catch (failure) {
    if (!(failure instanceof Death)) throw failure;
  }
  return !life.isDead;
}

/** The victim's call fails with that code. */
export async function refused(code: SluiceErrorCode, call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (failure) {
    if (hasCode(failure, code)) return;
    throw failure;
  }
  throw new Error(`No error of code ${code} came.`);
}

/** All of them; that one fails when its agent dies is no news. */
export function together<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const all = Promise.all(promises);
  all.catch(() => undefined);
  return all;
}
