// Cases of a capacitor over a semaphore: with and without deaths.

import { DIED, type Context, type Options, type Scenario, type Words } from '@sluice/model';
import { LIMIT } from '../../../core/src/kernel/layout.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { reclaim } from '../../../core/test/model/death-bodies.ts';
import { agentAt, entryAt, semaphoreAddress, tagOf, TREASURE } from '../../../core/test/model/places.ts';
import { World, type Actor, type Setup } from '../../../core/test/model/world.ts';
import { TALLY } from '../../src/kernel/layout.ts';
import type * as Entry from './entry.ts';
import { OVER_DEATH_MUTANTS, OVER_MUTANTS } from './over-mutants.ts';

type OverCore = typeof Entry;
interface OverActor extends Actor {
  readonly gate: Entry.SemaphoreCapacitor;
}
type OverBody = (actor: OverActor) => unknown;

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };

/** The words of the capacitor are in the line of the second semaphore, which no agent uses. */
const CAPACITOR = semaphoreAddress(1);
/** How often agents have entered, and how often they have begun to depart. */
const [ENTERED, DEPARTED] = [TREASURE, TREASURE + 4];

class OverWorld extends World {
  readonly #limit: number;
  readonly #core: OverCore;

  constructor(core: OverCore, limit: number, setup: Partial<Setup> & Pick<Setup, 'agents'>) {
    super(core, { permits: [limit, 0], most: limit, ...setup });
    this.#core = core;
    this.#limit = limit;
  }

  override layOut(words: Words): void {
    super.layOut(words);
    words.put32(CAPACITOR + LIMIT, this.#limit);
    words.put32(CAPACITOR + TALLY, this.#limit);
  }

  override actor(ctx: Context): OverActor {
    const actor = super.actor(ctx);
    const arena = { handle: { memory: undefined, arena: 'model' } };
    const place = { arena, context: actor.context, address: CAPACITOR, tag: tagOf(1), name: undefined };
    const gate = Reflect.construct(this.#core.SemaphoreCapacitor, [
      place,
      actor.sem,
      entryAt(ctx.index, 0),
    ]) as Entry.SemaphoreCapacitor;
    return { ...actor, gate };
  }

  override checkEnd(words: Words): string | undefined {
    const free = this.core.referenceKernel(words).balance(semaphoreAddress(0));
    const tally = words.load32(CAPACITOR + TALLY);
    if (tally < 1 || tally > this.#limit) return `it ends with ${tally} departures to come`;
    if (free !== tally) return `at the end ${tally} departures are to come, and ${free} permits are free`;
    return this.checkGates(words);
  }

  make(name: string, bodies: readonly OverBody[], options: Options, more: Partial<Scenario> = {}): Case {
    return { scenario: this.scenario(name, bodies as never, [this.#limit, 0], more), options };
  }
}

function count(ctx: Context, word: number): number {
  const before = ctx.words.get32(word);
  ctx.words.put32(word, before + 1);
  return before;
}

/** Enters and departs. A platoon may enter only after all agents of the last platoon have departed. */
const pass =
  (limit: number, rounds = 1): OverBody =>
  ({ ctx, gate }) => {
    for (let round = 0; round < rounds; round++) {
      gate.arrive();
      const entered = count(ctx, ENTERED);
      ctx.assert(
        ctx.words.get32(DEPARTED) >= Math.floor(entered / limit) * limit,
        'a platoon begins before the last one has departed',
      );
      ctx.step('inside');
      count(ctx, DEPARTED);
      gate.depart();
      ctx.forget(round);
    }
  };
const tryPass: OverBody = ({ gate }) => {
  if (gate.tryArrive(1)) gate.depart();
};
/** Passes without a count: a death would leave it wrong. */
const passBlindly: OverBody = ({ ctx, gate }) => {
  gate.arrive();
  ctx.step('inside');
  gate.depart();
};
const passTwice: OverBody = ({ ctx, gate }) => {
  gate.arrive();
  // A blocking arrival could wait for the departure of its own agent.
  const twice = gate.tryArrive();
  ctx.step('inside');
  if (twice) gate.depart();
  gate.depart();
};

export function overCases(core: OverCore): Case[] {
  const make = (name: string, limit: number, bodies: readonly OverBody[], options: Options): Case =>
    new OverWorld(core, limit, { agents: bodies.length }).make(name, bodies, options);
  return [
    make('B = 1, two agents', 1, [pass(1, 2), pass(1)], ALL),
    make('B = 2, two agents', 2, [pass(2, 2), pass(2, 2)], TWO),
    make('B = 2, three agents', 2, [pass(2), pass(2), pass(2)], TWO),
    make('B = 1, one of two agents may time out', 1, [pass(1), tryPass], ALL),
    make('B = 2, one of three agents may time out', 2, [pass(2, 2), tryPass, tryPass], ONE),
    make('B = 2, an agent is inside twice', 2, [passTwice, passBlindly], TWO),
  ];
}

export function overDeathCases(core: OverCore): Case[] {
  const make = (name: string, limit: number, bodies: readonly OverBody[], options: Options): Case => {
    const world = new OverWorld(core, limit, { agents: bodies.length });
    return world.make(name, bodies, options, {
      mayCrash: [0],
      deaths: 1,
      final: (words, outcomes) => {
        for (const [agent, outcome] of outcomes.entries()) {
          if (outcome !== DIED) continue;
          if (words.load32(agentAt(agent)) === agent + 1) world.tidy(words, agent);
        }
        return world.checkEnd(words);
      },
    });
  };
  return [
    make('B = 1, death of one of two agents', 1, [passBlindly, passBlindly, reclaim(0)], ALL),
    make('B = 2, death of one of two agents', 2, [passBlindly, passBlindly, reclaim(0)], TWO),
    make('B = 2, death of one of three agents', 2, [passBlindly, passBlindly, passBlindly, reclaim(0)], ONE),
    make('B = 2, death of an agent that is inside twice', 2, [passTwice, passBlindly, reclaim(0)], TWO),
    make('B = 1, death of an agent that may time out', 1, [tryPass, passBlindly, reclaim(0)], TWO),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'capacitor over a semaphore', entry: ENTRY, cases: overCases, mutants: OVER_MUTANTS },
  { name: 'capacitor over a semaphore, death', entry: ENTRY, cases: overDeathCases, mutants: OVER_DEATH_MUTANTS },
];
