// The stage for one death: a living agent with semaphores, two reclaimers, and the victim.

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

/** Living agents at one primitive, with their own records of it. */
export interface Witness {
  /** Returns the expected outcomes of all waiters after the victim's death. */
  expected(words: Words, victim: number): readonly string[];
  /** Lets all waiters have their turn, and checks that the outcomes are as expected. */
  finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void>;
  /**
   * Returns the resources that exist twice after a death within a step. Resources may be lost then, so a waiter need
   * not get its turn. `how` says whether the waiters stay or cancel first.
   */
  doubled?(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]>;
}

/** A class that replaces the core's semaphore and has the same calls. */
export interface SemaphoreKind {
  create(permits: number, options: SemaphoreOptions): Semaphore;
  from(handle: Semaphore['handle']): Semaphore;
}

export interface Operation {
  readonly name: string;
  /** The class of the semaphores on the stage. Default: the core's. */
  readonly semaphores?: SemaphoreKind;
  readonly world?: Partial<WorldOptions>;
  /** The victim joins during the operation. */
  readonly joins?: true;
  /**
   * Whether permits that the recovery restores may be granted to the victim's own waits, which it cancels later. A
   * report counts these permits as restored.
   */
  readonly cascades?: true;
  /**
   * Whether the recovery also restores permits that the victim's waits have gathered. A report then counts at least as
   * many permits as predicted.
   */
  readonly collects?: true;
  /** What its semaphore must have: a bound (`max`), or releases at a free line that are one step. */
  readonly needs?: 'bound' | 'single step';
  /** Whether the operation has so many deeds that a test with two deaths takes too long. */
  readonly large?: true;
  /** Sets up the stage. Returns the victim's act. */
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
  /** The ids of agents that have only their records. */
  readonly bystanders: number[] = [];
  readonly life: Life;
  readonly #semaphores: SemaphoreKind;
  #victim: Agent | undefined;

  /** `bare` names the agent that has loaded no kind. */
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

  /** Creates a semaphore of the living agent, and the victim's own instance of it. */
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

  /** Returns the record of the victim, or of the agent with that id; 0 if it has none. */
  recordOf(id: number): number {
    for (const { record, owner } of records(this.world.words, HEADER_AGENT_POOL)) if (owner === id) return record;
    return 0;
  }
}

/** Lets an agent act until it dies before its deed number `last`, counted from 0. Returns whether it survived. */
export async function outlives(life: Life, act: Act, kinds: readonly Deed[], last: number): Promise<boolean> {
  life.count(kinds, last);
  try {
    await act();
  } catch (failure) {
    if (!(failure instanceof Death)) throw failure;
  }
  return !life.isDead;
}

/** Expects that the victim's call fails with that code. */
export async function refused(code: SluiceErrorCode, call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (failure) {
    if (hasCode(failure, code)) return;
    throw failure;
  }
  throw new Error(`No error of code ${code} came.`);
}

/** Waits for all promises. Ignores the failure of a promise whose agent dies. */
export function together<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const all = Promise.all(promises);
  all.catch(() => undefined);
  return all;
}
