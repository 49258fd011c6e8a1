// A turnstile in a world: one agent at a time, with turns in the order of arrival.

import type { Context, Words } from '@sluice/model';
import type { Patrol, AgentContext } from '../../../core/src/arena/agent-context.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { LIMIT, OWNERS_AT } from '../../../core/src/kernel/layout.ts';
import { ADMITTED_DETACHED, TAKEN } from '../../../core/src/kernel/states.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type ShadowUser,
  type Plan,
} from '../../../core/test/model/office-world.ts';
import { agentAt, holdsAt, insideAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/semaphore-cases.ts';
import { HOLDS, type Rules } from '../../../core/test/model/witness.ts';
import { LEASE } from '../../src/kernel/layout.ts';
import type { GateKernel } from '../../src/kinds.ts';
import { BYTES, enters, leaves } from './arrivals.ts';
import type * as Entry from './entry.ts';
import type { CapacitorCore } from './gate-world.ts';
import { watchTickets } from './gate-witness.ts';
import { keepLocalStates, patrolOf } from './local-states.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';

export interface TurnActor extends ShadowUser {
  readonly turnstile: Entry.Turnstile;
  /** What this agent knows of its turn. */
  readonly turn: ReturnType<typeof Entry.turnAt>;
  /** How a waiter looks after those before it. */
  /** What a waiter looks after. In the model an agent of its own does it. */
  readonly waitersPatrol: Patrol | undefined;
}
export type TurnBody = (actor: TurnActor) => unknown;

export interface TurnSetup extends OfficeSetup {
  /** B: passes in one turn. */
  readonly limit: number;
  /** Agents for which time passes: whenever they look at the clock, a turn is over and an absence too long. Default: for none. */
  readonly hasty?: readonly number[];
}

export const TURNSTILE = semaphoreAddress(0);
const TAG = tagOf(0);
const HOUR_MS = 3_600_000;

/** Inside, by its kernel steps. */
const RULES: Rules = {
  gains: (step) => ['takeTurn', 'enqueueAtTurnstile', 'pollTurnstile', 'cancelTurnstileWait', 'resume'].includes(step),
  loses: (step) => ['endTurn', 'passTurn', 'pause'].includes(step),
  releasesForDeadOwner: (step) => step === 'endTurnForDead',
};

function invariant(words: Words, agents: number): string | undefined {
  const all = [...Array(agents).keys()];
  if (all.filter((agent) => words.get32(insideAt(agent)) !== 0).length > 1) return 'two agents are inside';
  const inside = all.filter((agent) => words.get32(holdsAt(agent)) === HOLDS);
  if (inside.length > 1) return 'two agents were let in';
  const lease = words.get32(TURNSTILE + LEASE);
  return inside.some((agent) => agent + 1 === lease) ? 'its turn can be ended while it is inside' : undefined;
}

const officeOf = ({ TURNSTILE: kind }: CapacitorCore): Office => ({
  kind: kind.code,
  load: (context) => context.load(kind).steps,
  flags: [1 << OWNERS_AT],
  rules: RULES,
  invariant,
});

class TurnWorld extends OfficeWorld<TurnActor> {
  readonly #limit: number;
  readonly #hasty: readonly number[];

  constructor(core: CapacitorCore, setup: TurnSetup) {
    super(core, officeOf(core), setup, (shadowUser) => {
      const turnstile = core.turnstileAt(shadowUser.place, shadowUser.policy);
      return { ...shadowUser, turnstile, turn: core.turnAt(shadowUser.place), waitersPatrol: patrolOf(shadowUser.context) };
    });
    this.#limit = setup.limit;
    this.#hasty = setup.hasty ?? [];
  }

  override case(plan: Plan<TurnActor>): Case {
    const { scenario, options } = super.case(plan);
    return { scenario: { ...scenario, bytes: BYTES }, options };
  }

  override context(ctx: Context): AgentContext {
    const context = keepLocalStates(super.context(ctx));
    if (!this.#hasty.includes(ctx.index)) return context;
    let hours = 0;
    const now = (): number => HOUR_MS * (hours += 1);
    return Object.assign(context, { parking: { ...context.parking, now } });
  }

  override layOut(words: Words): void {
    super.layOut(words);
    words.put32(TURNSTILE + LIMIT, this.#limit);
  }

  override checkRest(words: Words): string | undefined {
    const lease = words.load32(TURNSTILE + LEASE);
    return lease === 0 ? super.checkRest(words) : `agent ${lease - 1} is still expected back`;
  }

  protected override words(ctx: Context): Words {
    const words = super.words(ctx);
    const known = views.get(words) ?? watchTickets(words, ctx, WATCHED);
    views.set(words, known);
    return known;
  }

  protected override kernel(ctx: Context): Kernel {
    return watchTurns(super.kernel(ctx), ctx);
  }
}

/** Of the permits of a turnstile only the tickets are of interest. */
const WATCHED = { address: TURNSTILE, lines: [TURNSTILE], lanes: false, agents: 0, tally: -1 };
const views = new WeakMap<Words, Words>();

/** No turn begins before that of one that came first. */
function watchTurns(kernel: Kernel, ctx: Context): Kernel {
  type Step = (...args: number[]) => number;
  const begin = (result: number): number => {
    if (result === TAKEN || result === ADMITTED_DETACHED) enters(ctx, ctx.index, 1);
    return result;
  };
  const gains = ['takeTurn', 'enqueueAtTurnstile', 'pollTurnstile', 'cancelTurnstileWait'];
  const wrap = (name: string, step: Step): Step => {
    if (!gains.includes(name)) return step;
    return (...args) => {
      // From its first look on others may be let in.
      if (name === 'cancelTurnstileWait') leaves(ctx.words, ctx.index);
      return begin(step(...args));
    };
  };
  const steps = Object.entries(kernel) as [string, Step][];
  return Object.fromEntries(steps.map(([name, step]) => [name, wrap(name, step)])) as unknown as Kernel;
}

export function turnWorld(core: CapacitorCore, setup: TurnSetup): TurnWorld {
  return new TurnWorld(core, setup);
}

/** It is agent 0's turn, which is inside; the next ones stand in line, asleep. */
export const turnWith =
  (waiters: number) =>
  (words: Words, plain: Kernel): void => {
    const kernel = plain as GateKernel;
    kernel.takeTurn(TURNSTILE, TAG, 1);
    words.put32(holdsAt(0), HOLDS);
    for (let agent = 1; agent <= waiters; agent++)
      putToSleep(words, kernel, agent, asElement(kernel.enqueueAtTurnstile(TURNSTILE, TAG, agentAt(agent), 1)));
  };

/** As `turnWith`, but agent 0 went out, and will not come back. */
export const awayWith =
  (waiters: number) =>
  (words: Words, kernel: Kernel): void => {
    turnWith(waiters)(words, kernel);
    (kernel as GateKernel).pause(TURNSTILE, 1);
    words.put32(holdsAt(0), 0);
  };
