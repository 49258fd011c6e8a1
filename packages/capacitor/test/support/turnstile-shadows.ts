// Living agents at one turnstile, and their outcomes. Each arrives once, stays inside until it is told to depart, and
// has no other tasks there.

import { expect } from 'vitest';
import { Turnstile } from '../../src/index.ts';
import { officeAt } from '../../../core/test/support/at-rest.ts';
import type { Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { rounds } from '../../../core/test/support/rounds.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { expectSame } from '../../../core/test/support/expect-same.ts';

type Outcome = 'waits' | 'in' | 'left';

interface ShadowHolder {
  readonly turnstile: Turnstile;
  outcome: Outcome;
  readonly leave: () => void;
}

export class TurnstileShadows implements Witness {
  readonly turnstile: Turnstile;
  /** Two agents that were inside together. */
  readonly faults: string[] = [];
  readonly #stage: Stage;
  readonly #shadows: ShadowHolder[] = [];
  readonly #inside: Turnstile[] = [];

  constructor(stage: Stage) {
    rounds.reset(stage.world.lot);
    this.#stage = stage;
    this.turnstile = Turnstile.create({ arena: stage.living.arena, name: 'turnstile' });
  }

  /** A waiter of another agent. */
  #another(): Turnstile {
    const agent = this.#stage.world.join();
    this.#stage.bystanders.push(agent.context.id);
    return Turnstile.from(this.#stage.world.handle(this.turnstile.handle, agent));
  }

  /** Starts that many arrivals of agents, which wait if they must. */
  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: ShadowHolder = { turnstile: this.#another(), outcome: 'waits', leave };
      this.#shadows.push(shadow);
      shadow.turnstile.arriveAsync({ signal, ref: false }).then(
        () => {
          shadow.outcome = 'in';
          this.#enter(shadow.turnstile);
        },
        () => (shadow.outcome = 'left'),
      );
    }
  }

  #enter(turnstile: Turnstile): void {
    if (this.#inside.length > 0) this.faults.push(`${this.#inside.length + 1} are inside`);
    this.#inside.push(turnstile);
  }

  /** Lets another agent go in at once. */
  take(): void {
    const turnstile = this.#another();
    turnstile.arrive();
    this.#enter(turnstile);
  }

  /** Lets the agent inside go out. */
  go(): Turnstile | undefined {
    const turnstile = this.#inside.shift();
    turnstile?.depart();
    return turnstile;
  }

  /** Lets the agent come back, if its turn allows it. */
  comeBack(turnstile: Turnstile | undefined): void {
    if (turnstile?.tryArrive() === true) this.#enter(turnstile);
  }

  /** Aborts the agent with that number. */
  leave(index: number): void {
    const shadow = this.#shadows[index];
    if (shadow === undefined) throw new Error('no such shadow');
    // A grant may be decided that the agent reports only later.
    shadow.outcome = 'left';
    shadow.leave();
  }

  expected(): readonly Outcome[] {
    return this.#shadows.map(({ outcome }) => (outcome === 'waits' ? 'in' : outcome));
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await this.#clear(settle);
    expectSame([...this.#shadows.map(({ outcome }) => outcome), ...this.faults], expected);
    this.take();
    this.go();
    const { arena } = this.#stage.living;
    expect(officeAt(arena, this.turnstile.handle.address)).toEqual({ office: 0n, bouncers: [0n] });
  }

  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') this.#leaveAll();
    await this.#clear(settle);
    this.come();
    await settle();
    this.#leaveAll();
    await this.#clear(settle);
    return this.faults;
  }

  #leaveAll(): void {
    for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
  }

  /** Lets all agents inside depart, and all that are admitted thereby. */
  async #clear(settle: () => Promise<void>): Promise<void> {
    await settle();
    while (this.#inside.length > 0) {
      this.go();
      await settle();
    }
  }
}
