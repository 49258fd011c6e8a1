// Agents of one thread that use a mutex, a read-write lock and an event at random, within each other's steps, and die.

import type { Random } from '@sluice/harness';
import { expect } from 'vitest';
import { AutoResetEvent } from '../../../auto-reset-event/src/index.ts';
import { Mutex } from '../../../mutex/src/index.ts';
import { RwLock } from '../../src/index.ts';
import '../../../auto-reset-event/test/support/kinds.ts';
import '../../../mutex/test/support/kinds.ts';
import './kinds.ts';
import { tidy } from '../../../core/src/recovery/claim-dead-agent.ts';
import { OwnerDiedError } from '../../../core/src/index.ts';
import type { Engine } from '../../../core/src/kernel/kernel.ts';
import { officeAt } from '../../../core/test/support/at-rest.ts';
import { expectQuiet, expectRecovered } from '../../../core/test/support/in-order.ts';
import type { Agent } from '../../../core/test/support/crash-world.ts';
import { RandomActors, type Actor } from '../../../core/test/support/random-actors.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';

const MAX_WAITS = 5;

/** A mutex, and the two sides of a read-write lock. */
type Side = 'mutex' | 'reader' | 'writer';
const SIDES: readonly Side[] = ['mutex', 'reader', 'writer'];

interface Wait {
  readonly side: Side | 'event';
  readonly leave: () => void;
}

interface RandomAgent extends Actor {
  readonly mutex: Mutex;
  readonly rw: RwLock;
  readonly event: AutoResetEvent;
  /** The locks that the agent holds by its own count. */
  readonly held: Record<Side, number>;
  readonly waits: Set<Wait>;
}

export class RandomOfficeAgents extends RandomActors<RandomAgent> {
  /** The number of admissions on each side. */
  readonly entries: Record<Side | 'event' | 'told', number> = { mutex: 0, reader: 0, writer: 0, event: 0, told: 0 };
  readonly #mutex: Mutex;
  readonly #rw: RwLock;
  readonly #event: AutoResetEvent;
  readonly #faults: string[] = [];
  #signals = 0;

  constructor(engine: Engine, random: Random, buckets: number) {
    super(engine, random, buckets);
    const { arena } = this.keeper;
    this.#mutex = Mutex.create({ arena, order: 'fifo' });
    this.#rw = RwLock.create({ arena, order: 'fifo' });
    this.#event = AutoResetEvent.create({ arena });
  }

  /** Ends the deaths, recovers the dead agents, and checks all words. */
  async check(): Promise<void> {
    for (const randomAgent of this.living) randomAgent.life.count([], 0);
    await this.settle();
    this.recoverDead();
    await this.settle();
    expectRecovered(this.world, this.ids, []);
    this.#compare();
  }

  /** All living agents cancel and unlock. */
  async end(): Promise<void> {
    await this.check();
    for (const randomAgent of this.living) for (const wait of randomAgent.waits) wait.leave();
    await this.settle();
    while (SIDES.some((side) => this.#held(side) > 0)) {
      for (const randomAgent of this.living)
        for (const side of SIDES) while (randomAgent.held[side] > 0) this.#unlock(randomAgent, side);
      await this.settle();
    }
    tidy(this.keeper.context);
    expectQuiet(this.world, this.ids, []);
    this.#compare();
    expect(this.entries.event + Number(this.#event.reset())).toBeLessThanOrEqual(this.#signals);
  }

  /** Compares the words with the counts of the agents. */
  #compare(): void {
    const { arena } = this.keeper;
    expect(this.#faults).toEqual([]);
    const waiting = (side: Wait['side']): number =>
      this.living.reduce(
        (sum, randomAgent) => sum + [...randomAgent.waits].filter((wait) => wait.side === side).length,
        0,
      );
    const mutex = officeAt(arena, this.#mutex.handle.address).office;
    const owner = this.living.find((randomAgent) => randomAgent.held.mutex > 0)?.context.id ?? 0;
    expect([mutex & 0x7fffffffn, mutex >> 37n]).toEqual([BigInt(owner), BigInt(waiting('mutex'))]);
    const rw = officeAt(arena, this.#rw.handle.address).office;
    const fields = [0n, 21n, 42n].map((at) => Number((rw >> at) & 0x1fffffn));
    expect(fields).toEqual([this.#held('reader'), waiting('reader'), this.#held('writer') + waiting('writer')]);
    const event = BigInt.asIntN(32, officeAt(arena, this.#event.handle.address).office);
    if (waiting('event') > 0) expect(event).toBe(BigInt(-waiting('event')));
    else expect([0n, 1n]).toContain(event);
  }

  protected override equip(agent: Agent): RandomAgent {
    const mutex = Mutex.from(this.world.handle(this.#mutex.handle, agent));
    const rw = RwLock.from(this.world.handle(this.#rw.handle, agent));
    const event = AutoResetEvent.from(this.world.handle(this.#event.handle, agent));
    return { ...agent, mutex, rw, event, held: { mutex: 0, reader: 0, writer: 0 }, waits: new Set(), busy: false };
  }

  protected override doSomething(randomAgent: RandomAgent): void {
    const side = this.random.pick(SIDES);
    const kind = this.random.below(100);
    if (kind < 20) this.#try(randomAgent, side);
    else if (kind < 42 && randomAgent.waits.size < MAX_WAITS) this.#wait(randomAgent, side);
    else if (kind < 68 && randomAgent.held[side] > 0) this.#unlock(randomAgent, side);
    else if (kind < 74 && randomAgent.held.writer > 0) this.#downgrade(randomAgent);
    else if (kind < 84 && randomAgent.waits.size > 0) this.random.pick([...randomAgent.waits]).leave();
    else if (kind < 90) this.#signal(randomAgent);
    else if (kind < 93 && randomAgent.waits.size < MAX_WAITS) this.#await(randomAgent);
    else if (kind < 94 && randomAgent.event.tryWait(this.random.chance(40) ? 5 : 0)) this.entries.event += 1;
    else if (kind >= 94) randomAgent.arena.reclaimDead();
  }

  #lock(randomAgent: RandomAgent, side: Side): Mutex | RwLock[Exclude<Side, 'mutex'>] {
    return side === 'mutex' ? randomAgent.mutex : randomAgent.rw[side];
  }

  #try(randomAgent: RandomAgent, side: Side): void {
    try {
      if (this.#lock(randomAgent, side).tryLock(this.random.chance(40) ? 5 : 0)) this.#enter(randomAgent, side);
    } catch (failure) {
      this.#getNotice(randomAgent, side, failure);
    }
  }

  /** The next owner after a death repairs and holds the lock. A reader gets an error. */
  #getNotice(randomAgent: RandomAgent, side: Side, failure: unknown): void {
    if (!(failure instanceof OwnerDiedError)) throw failure;
    // This is the notice that the dead agent was about to get.
    if (randomAgent.life.isDead) return;
    if ((failure.guard === undefined) !== (side === 'reader')) this.#faults.push(`the wrong notice as ${side}`);
    if (side === 'reader') return;
    this.entries.told += 1;
    this.#enter(randomAgent, side);
    failure.guard?.markConsistent();
  }

  #enter(randomAgent: RandomAgent, side: Side): void {
    if (randomAgent.life.isDead) return;
    this.entries[side] += 1;
    randomAgent.held[side] += 1;
    const [mutex, reader, writer] = [this.#held('mutex'), this.#held('reader'), this.#held('writer')];
    const alone = mutex <= 1 && writer <= 1 && (writer === 0 || reader === 0);
    if (!alone) this.#faults.push(`${mutex} own the mutex, ${reader} read, ${writer} write`);
  }

  #held(side: Side): number {
    return this.living.reduce((sum, randomAgent) => sum + randomAgent.held[side], 0);
  }

  /** Records that from here on another agent may hold the lock, or this agent dies. */
  #unlock(randomAgent: RandomAgent, side: Side): void {
    randomAgent.held[side] -= 1;
    this.#lock(randomAgent, side).unlock();
  }

  #downgrade(randomAgent: RandomAgent): void {
    randomAgent.held.writer -= 1;
    randomAgent.held.reader += 1;
    randomAgent.rw.downgrade();
  }

  #wait(randomAgent: RandomAgent, side: Side): void {
    const { signal, leave } = signalByHand();
    const wait: Wait = { side, leave };
    randomAgent.waits.add(wait);
    this.#lock(randomAgent, side)
      .lockAsync({ signal, ref: false })
      .then(
        () => {
          randomAgent.waits.delete(wait);
          this.#enter(randomAgent, side);
        },
        (failure: unknown) => {
          randomAgent.waits.delete(wait);
          if (failure instanceof OwnerDiedError) this.mayDie(() => this.#getNotice(randomAgent, side, failure));
        },
      );
  }

  #signal({ event }: RandomAgent): void {
    this.#signals += 1;
    event.signal();
  }

  #await(randomAgent: RandomAgent): void {
    const { signal, leave } = signalByHand();
    const wait: Wait = { side: 'event', leave };
    randomAgent.waits.add(wait);
    randomAgent.event.waitAsync({ signal, ref: false }).then(
      () => {
        randomAgent.waits.delete(wait);
        this.entries.event += 1;
      },
      () => randomAgent.waits.delete(wait),
    );
  }
}
