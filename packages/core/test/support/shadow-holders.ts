// Tasks of a living agent at one lock, with the outcome that each got when it acquired the lock. Each stays inside
// until it is told to go. So a test sees if two tasks that exclude each other are inside together.

import { expect } from 'vitest';
import { OwnerDiedError, type Arena } from '../../src/index.ts';
import { HEALTH } from '../../src/kernel/layout.ts';
import { ORPHANED, UNRECOVERABLE } from '../../src/kernel/states.ts';
import type { Words } from '../../src/kernel/words.ts';
import { officeAt } from './at-rest.ts';
import { owns } from './predict-report.ts';
import type { Witness } from './crash-stage.ts';
import { signalByHand } from './signal-by-hand.ts';
import { expectSame } from './expect-same.ts';

export type Told = 'waits' | 'left' | 'clean' | 'told' | 'refused';

/** One side of a lock. */
export interface ShadowSide {
  readonly lock: {
    lock(): void;
    unlock(): void;
    lockAsync(options: { signal: AbortSignal; ref: boolean }): Promise<void>;
  };
  /** Whether several may hold this side at the same time. */
  readonly shared: boolean;
}

/** The properties of a lock that is not a mutex. */
export interface LockTraits {
  /** Whether waiters are admitted in another order than that of arrival. */
  readonly unordered?: boolean;
  /** The permits of its semaphores while it is free: one number for all, or one for each. */
  readonly permits?: bigint | readonly bigint[];
}

interface ShadowHolder {
  readonly side: ShadowSide;
  told: Told;
  readonly leave: () => void;
}

/** The words of an unused box office: of any, of a mutex with a notice, and of a read-write lock with a notice. */
const UNUSED = [0n, 1n << 32n, 1n << 63n];

export class ShadowHolders implements Witness {
  /** Violations: two tasks that should not have been inside together. */
  readonly faults: string[] = [];
  readonly #arena: Arena;
  readonly #address: number;
  readonly #owned: number;
  readonly #finals: readonly ShadowSide[];
  readonly #unordered: boolean;
  readonly #permits: bigint | readonly bigint[];
  readonly #shadows: ShadowHolder[] = [];
  readonly #inside: ShadowSide[] = [];

  /**
   * `arena`: of the living agent. `address`: of the lock. `owned`: of the line whose holder owns it. `finals`: the
   * agents that arrive, one after the other, when all others are gone.
   */
  constructor(arena: Arena, address: number, owned: number, finals: readonly ShadowSide[], traits: LockTraits = {}) {
    const { unordered = false, permits = 0n } = traits;
    this.#unordered = unordered;
    this.#permits = permits;
    this.#arena = arena;
    this.#address = address;
    this.#owned = owned;
    this.#finals = finals;
  }

  /** Lets that many tasks wait in line. Each repairs if necessary. */
  come(side: ShadowSide, times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: ShadowHolder = { side, told: 'waits', leave };
      this.#shadows.push(shadow);
      side.lock.lockAsync({ signal, ref: false }).then(
        () => {
          shadow.told = 'clean';
          this.#enter(side);
        },
        (failure: unknown) => (shadow.told = this.#inherit(side, failure)),
      );
    }
  }

  #inherit(side: ShadowSide, failure: unknown): Told {
    if (!(failure instanceof OwnerDiedError)) return 'left';
    if (failure.guard === undefined) return 'refused';
    failure.guard.markConsistent();
    this.#enter(side);
    return 'told';
  }

  #enter(side: ShadowSide): void {
    if (this.#inside.some((other) => !(other.shared && side.shared)))
      this.faults.push(`${this.#inside.length + 1} are inside`);
    this.#inside.push(side);
  }

  /** Takes the lock at once. */
  take(side: ShadowSide): void {
    side.lock.lock();
    this.#inside.push(side);
  }

  /** Lets the first task that was admitted leave. */
  go(): void {
    this.#inside.shift()?.lock.unlock();
  }

  /** Cancels the wait of the shadow with that number. */
  leave(index: number): void {
    const shadow = this.#shadows[index];
    if (shadow === undefined) throw new Error('no such shadow');
    // Its own outcome arrives later, and then counts.
    shadow.told = 'left';
    shadow.leave();
  }

  /** Returns the number of tasks that are inside now. */
  get inside(): number {
    return this.#inside.length;
  }

  expected(words: Words, victim: number): readonly Told[] {
    const health = words.load32(this.#address + HEALTH);
    let notice = health === ORPHANED || owns(words, victim, this.#owned);
    const tell = (side: ShadowSide): Told => {
      if (health === UNRECOVERABLE || (notice && side.shared)) return 'refused';
      const told = notice ? 'told' : 'clean';
      notice = false;
      return told;
    };
    // Waiting readers enter before the writer that is told.
    const waiting = this.#shadows.filter(({ told }) => told === 'waits');
    const inOrder = waiting.sort((a, b) => Number(b.side.shared) - Number(a.side.shared));
    const told = new Map(inOrder.map((shadow) => [shadow, tell(shadow.side)]));
    return [
      ...this.#inOrder(this.#shadows.map((shadow) => told.get(shadow) ?? shadow.told)),
      ...this.#finals.map(tell),
    ];
  }

  /** Returns the outcomes for the comparison. Without an order, only their numbers count. */
  #inOrder(told: readonly Told[]): readonly Told[] {
    return this.#unordered ? [...told].sort() : told;
  }

  /** Lets all tasks have their turn. */
  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    const before = this.#shadows.length;
    await this.clear(settle);
    this.#expectAtRest();
    for (const side of this.#finals) {
      this.come(side);
      await this.clear(settle);
    }
    this.#expectAtRest();
    const told = this.#shadows.map((shadow) => shadow.told);
    expectSame([...this.#inOrder(told.slice(0, before)), ...told.slice(before), ...this.faults], expected);
  }

  /** Expects that no agent is inside or waits, and no permit is left over. */
  #expectAtRest(): void {
    const { office, bouncers } = officeAt(this.#arena, this.#address);
    const permits = this.#permits;
    expectSame(bouncers, typeof permits === 'bigint' ? bouncers.map(() => permits) : permits);
    expect(UNUSED).toContain(office);
  }

  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') this.#leaveAll();
    await this.clear(settle);
    for (const side of this.#finals) {
      this.come(side);
      await settle();
      this.#leaveAll();
      await this.clear(settle);
    }
    return this.faults;
  }

  #leaveAll(): void {
    for (const shadow of this.#shadows) if (shadow.told === 'waits') shadow.leave();
  }

  /** Lets all tasks that are inside leave, and all that enter thereby. */
  async clear(settle: () => Promise<void>): Promise<void> {
    await settle();
    while (this.#inside.length > 0) {
      this.go();
      await settle();
    }
  }
}
