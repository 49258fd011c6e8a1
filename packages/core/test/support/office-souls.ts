// Agents of one thread that do at random what agents do at box offices, in the middle of what others do, and die of it.

import type { Random } from '@sluice/harness';
import { expect } from 'vitest';
import { AutoResetEvent } from '../../../auto-reset-event/src/index.ts';
import { Mutex } from '../../../mutex/src/index.ts';
import { RwLock } from '../../../rw-lock/src/index.ts';
import { recordOf, recover, tidy } from '../../src/arena/reclaim.ts';
import { OwnerDiedError } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/kernel.ts';
import { officeAt } from './at-rest.ts';
import { expectQuiet, expectRecovered } from './in-order.ts';
import { Death } from './mortal.ts';
import { ALL_DEEDS } from './mortal-run.ts';
import { World, type Agent } from './mortal-world.ts';
import { signalByHand } from './signal-by-hand.ts';
import { turn } from './turn.ts';

const MOST_SOULS = 5;
/** So deep may agents act in the middle of what others do. */
const MOST_DEPTH = 3;
const MOST_WAITS = 5;

/** What can be held: one mutex, and the two sides of a read-write lock. */
type Side = 'mutex' | 'reader' | 'writer';
const SIDES: readonly Side[] = ['mutex', 'reader', 'writer'];

interface Wait {
  readonly side: Side | 'event';
  readonly leave: () => void;
}

interface Soul extends Agent {
  readonly mutex: Mutex;
  readonly rw: RwLock;
  readonly event: AutoResetEvent;
  /** By its own books. */
  readonly held: Record<Side, number>;
  readonly waits: Set<Wait>;
  busy: boolean;
}

export class OfficeSouls {
  deaths = 0;
  acts = 0;
  /** How often somebody came in on each side. */
  readonly entries: Record<Side | 'event' | 'told', number> = { mutex: 0, reader: 0, writer: 0, event: 0, told: 0 };
  readonly #world: World;
  readonly #random: Random;
  /** Never dies and takes nothing: it looks after the others. */
  readonly #keeper: Agent;
  readonly #mutex: Mutex;
  readonly #rw: RwLock;
  readonly #event: AutoResetEvent;
  readonly #faults: string[] = [];
  #signals = 0;
  #souls: Soul[] = [];
  #dead: Soul[] = [];
  #depth = 0;

  constructor(engine: Engine, random: Random, buckets: number) {
    this.#world = new World({ engine, pages: 4, buckets });
    this.#random = random;
    this.#keeper = this.#world.join();
    this.#keeper.life.between = () => this.#interrupt();
    const { arena } = this.#keeper;
    this.#mutex = Mutex.create({ arena });
    this.#rw = RwLock.create({ arena });
    this.#event = AutoResetEvent.create({ arena });
  }

  /** Some random acts of random agents, one of which may be about to die. */
  async act(count: number): Promise<void> {
    for (let done = 0; done < count; done++) {
      while (this.#living.length < MOST_SOULS) this.#join();
      const soul = this.#random.pick(this.#living);
      if (this.#random.chance(8)) soul.life.count(ALL_DEEDS, this.#random.below(40));
      this.#run(soul);
      if (this.#random.chance(30)) await this.#settle();
    }
  }

  /** Lets nobody die any more, recovers who has, and looks whether everything is in order. */
  async check(): Promise<void> {
    for (const soul of this.#living) soul.life.count([], 0);
    await this.#settle();
    this.#bury();
    await this.#settle();
    expectRecovered(this.#world, this.#ids, []);
    this.#compare();
  }

  /** All that live give up and give back. */
  async end(): Promise<void> {
    await this.check();
    for (const soul of this.#living) for (const wait of soul.waits) wait.leave();
    await this.#settle();
    while (SIDES.some((side) => this.#held(side) > 0)) {
      for (const soul of this.#living) for (const side of SIDES) while (soul.held[side] > 0) this.#unlock(soul, side);
      await this.#settle();
    }
    tidy(this.#keeper.seat);
    expectQuiet(this.#world, this.#ids, []);
    this.#compare();
    expect(this.entries.event + Number(this.#event.reset())).toBeLessThanOrEqual(this.#signals);
  }

  /** The words against the books. */
  #compare(): void {
    const { arena } = this.#keeper;
    expect(this.#faults).toEqual([]);
    const waiting = (side: Wait['side']): number =>
      this.#living.reduce((sum, soul) => sum + [...soul.waits].filter((wait) => wait.side === side).length, 0);
    const mutex = officeAt(arena, this.#mutex.handle.address).office;
    const owner = this.#living.find((soul) => soul.held.mutex > 0)?.seat.id ?? 0;
    expect([mutex & 0x7fffffffn, mutex >> 34n]).toEqual([BigInt(owner), BigInt(waiting('mutex'))]);
    const rw = officeAt(arena, this.#rw.handle.address).office;
    const fields = [0n, 21n, 42n].map((at) => Number((rw >> at) & 0x1fffffn));
    expect(fields).toEqual([this.#held('reader'), waiting('reader'), this.#held('writer') + waiting('writer')]);
    const event = officeAt(arena, this.#event.handle.address).office;
    if (waiting('event') > 0) expect(event).toBe(BigInt(-waiting('event')));
    else expect([0n, 1n]).toContain(event);
  }

  /** The keeper recovers the dead, while the others act. */
  #bury(): void {
    const { seat } = this.#keeper;
    this.#depth = 1;
    while (this.#lost.length > 0) {
      for (const dead of this.#lost) {
        const record = recordOf(seat, dead);
        if (record !== 0) recover(seat, record, dead, true);
      }
    }
    this.#depth = 0;
  }

  get #lost(): number[] {
    return this.#dead.map(({ seat }) => seat.id).filter((id) => recordOf(this.#keeper.seat, id) !== 0);
  }

  get #living(): readonly Soul[] {
    this.#dead = [...this.#dead, ...this.#souls.filter(({ life }) => life.isDead)];
    this.#souls = this.#souls.filter(({ life }) => !life.isDead);
    return this.#souls;
  }

  get #ids(): number[] {
    return [this.#keeper, ...this.#living].map(({ seat }) => seat.id);
  }

  #join(): void {
    const agent = this.#world.join();
    const mutex = Mutex.from(this.#world.handle(this.#mutex.handle, agent));
    const rw = RwLock.from(this.#world.handle(this.#rw.handle, agent));
    const event = AutoResetEvent.from(this.#world.handle(this.#event.handle, agent));
    this.#souls.push({ ...agent, mutex, rw, event, held: { mutex: 0, reader: 0, writer: 0 }, waits: new Set(), busy: false });
    agent.life.between = () => this.#interrupt();
  }

  /** Others join or act in the middle of what one does. */
  #interrupt(): void {
    if (this.#depth === 0 || this.#depth >= MOST_DEPTH || !this.#random.chance(4)) return;
    if (this.#living.length < MOST_SOULS) this.#join();
    for (let acts = this.#random.below(4); acts > 0; acts--) {
      const idle = this.#living.filter(({ busy }) => !busy);
      if (idle.length > 0) this.#run(this.#random.pick(idle));
    }
  }

  #run(soul: Soul): void {
    soul.busy = true;
    this.#depth += 1;
    this.acts += 1;
    try {
      this.#doSomething(soul);
    } catch (failure) {
      if (!(failure instanceof Death)) throw failure;
      this.deaths += 1;
    } finally {
      this.#depth -= 1;
      soul.busy = false;
    }
  }

  #doSomething(soul: Soul): void {
    const side = this.#random.pick(SIDES);
    const kind = this.#random.below(100);
    if (kind < 20) this.#try(soul, side);
    else if (kind < 42 && soul.waits.size < MOST_WAITS) this.#wait(soul, side);
    else if (kind < 68 && soul.held[side] > 0) this.#unlock(soul, side);
    else if (kind < 74 && soul.held.writer > 0) this.#downgrade(soul);
    else if (kind < 84 && soul.waits.size > 0) this.#random.pick([...soul.waits]).leave();
    else if (kind < 90) this.#signal(soul);
    else if (kind < 93 && soul.waits.size < MOST_WAITS) this.#await(soul);
    else if (kind < 94 && soul.event.tryWait(this.#random.chance(40) ? 5 : 0)) this.entries.event += 1;
    else if (kind >= 94) soul.arena.reclaimDead();
  }

  #lock(soul: Soul, side: Side): Mutex | RwLock[Exclude<Side, 'mutex'>] {
    return side === 'mutex' ? soul.mutex : soul.rw[side];
  }

  #try(soul: Soul, side: Side): void {
    try {
      if (this.#lock(soul, side).tryLock(this.#random.chance(40) ? 5 : 0)) this.#enter(soul, side);
    } catch (failure) {
      this.#hear(soul, side, failure);
    }
  }

  /** The heir of a dead owner repairs and holds; a reader is refused. */
  #hear(soul: Soul, side: Side, failure: unknown): void {
    if (!(failure instanceof OwnerDiedError)) throw failure;
    // What it was about to hear when it died.
    if (soul.life.isDead) return;
    if ((failure.guard === undefined) !== (side === 'reader')) this.#faults.push(`the wrong notice as ${side}`);
    if (side === 'reader') return;
    this.entries.told += 1;
    this.#enter(soul, side);
    failure.guard?.markConsistent();
  }

  #enter(soul: Soul, side: Side): void {
    if (soul.life.isDead) return;
    this.entries[side] += 1;
    soul.held[side] += 1;
    const [mutex, reader, writer] = [this.#held('mutex'), this.#held('reader'), this.#held('writer')];
    const alone = mutex <= 1 && writer <= 1 && (writer === 0 || reader === 0);
    if (!alone) this.#faults.push(`${mutex} own the mutex, ${reader} read, ${writer} write`);
  }

  #held(side: Side): number {
    return this.#living.reduce((sum, soul) => sum + soul.held[side], 0);
  }

  /** It is nobody's from here on, or it dies of it. */
  #unlock(soul: Soul, side: Side): void {
    soul.held[side] -= 1;
    this.#lock(soul, side).unlock();
  }

  #downgrade(soul: Soul): void {
    soul.held.writer -= 1;
    soul.held.reader += 1;
    soul.rw.downgrade();
  }

  #wait(soul: Soul, side: Side): void {
    const { signal, leave } = signalByHand();
    const wait: Wait = { side, leave };
    soul.waits.add(wait);
    this.#lock(soul, side)
      .lockAsync({ signal, ref: false })
      .then(
        () => {
          soul.waits.delete(wait);
          this.#enter(soul, side);
        },
        (failure: unknown) => {
          soul.waits.delete(wait);
          if (failure instanceof OwnerDiedError) this.#mourn(soul, side, failure);
        },
      );
  }

  /** As `hear`, and it may die of it. */
  #mourn(soul: Soul, side: Side, failure: OwnerDiedError): void {
    try {
      this.#hear(soul, side, failure);
    } catch (death) {
      if (!(death instanceof Death)) throw death;
      this.deaths += 1;
    }
  }

  #signal({ event }: Soul): void {
    this.#signals += 1;
    event.signal();
  }

  #await(soul: Soul): void {
    const { signal, leave } = signalByHand();
    const wait: Wait = { side: 'event', leave };
    soul.waits.add(wait);
    soul.event.waitAsync({ signal, ref: false }).then(
      () => {
        soul.waits.delete(wait);
        this.entries.event += 1;
      },
      () => soul.waits.delete(wait),
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
