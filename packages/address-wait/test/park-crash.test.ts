// An agent dies at every point of park and unpark, and so does the agent that recovers it. No agent sleeps on while it
// has a permit.

import { expect } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { contextOf } from '../../core/src/arena/arena.ts';
import { AGENT_PERMIT } from '../../core/src/kernel/layout.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { meanwhile } from '../../core/test/support/crash-offices.ts';
import { together, type Operation, type Stage, type Witness } from '../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../core/test/support/signal-by-hand.ts';
import { park, parkAsync, unpark } from '../src/index.ts';

type Outcome = 'waits' | 'went' | 'left';

/** Parked waits of the living agent. */
class Parked implements Witness {
  readonly #stage: Stage;
  readonly #waits: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get id(): number {
    return this.#stage.living.arena.agentId;
  }

  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const wait: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#waits.push(wait);
      parkAsync(this.#stage.living.arena, { signal, ref: false }).then(
        () => (wait.outcome = 'went'),
        () => (wait.outcome = 'left'),
      );
    }
  }

  get #waiting(): number {
    return this.#waits.filter(({ outcome }) => outcome === 'waits').length;
  }

  get #hasPermit(): boolean {
    const { words, agent, id } = contextOf(this.#stage.living.arena);
    return words.load32(agent + AGENT_PERMIT) === id;
  }

  expected(): readonly string[] {
    return [];
  }

  async finish(settle: () => Promise<void>): Promise<void> {
    await settle();
    expect(this.#hasPermit && this.#waiting > 0).toBe(false);
    for (let left = this.#waiting; left > 0; left--) {
      unpark(this.#stage.living.arena, this.id);
      await settle();
      expect(this.#waiting).toBe(left - 1);
    }
  }

  async doubled(settle: () => Promise<void>): Promise<readonly string[]> {
    await settle();
    for (const { outcome, leave } of this.#waits) if (outcome === 'waits') leave();
    await settle();
    return [];
  }
}

function at(name: string, prepare: (stage: Stage, parked: Parked) => () => unknown): Operation {
  return {
    name,
    world: { pages: 2, policy: { spinMicros: 0 } },
    prepare(stage) {
      const parked = new Parked(stage);
      stage.witnesses.push(parked);
      return prepare(stage, parked);
    },
  };
}

const operations: readonly Operation[] = [
  ...[0, 1, 3].map((waits) =>
    at(`unparks an agent with ${waits} waits`, (stage, parked) => {
      parked.come(waits);
      return () => unpark(stage.victim.arena, parked.id);
    }),
  ),
  at('unparks an agent twice', (stage, parked) => {
    parked.come(2);
    return () => {
      unpark(stage.victim.arena, parked.id);
      unpark(stage.victim.arena, parked.id);
    };
  }),
  at('parks with a permit', (stage) => {
    unpark(stage.living.arena, stage.victim.arena.agentId);
    return () => park(stage.victim.arena);
  }),
  at('parks, and is unparked', (stage, parked) => {
    parked.come();
    meanwhile(stage, () => unpark(stage.living.arena, stage.victim.arena.agentId));
    return () => park(stage.victim.arena);
  }),
  at('parks, and times out', (stage, parked) => {
    parked.come();
    return () => park(stage.victim.arena, 5);
  }),
  at('parks without blocking', (stage, parked) => {
    const { arena } = stage.victim;
    return async () => {
      const wait = together([parkAsync(arena, { ref: false })]);
      parked.come();
      unpark(stage.living.arena, arena.agentId);
      await stage.settle();
      await wait;
    };
  }),
];

crashSuite({ operations, holdings: [] });
