// A world with a turnstile: one agent at a time, in turns of B passes.

import type { Context, Words } from '@sluice/model';
import type { AgentContext } from '../../../core/src/agent/agent-context.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import {
  FLAG_GATE,
  FLAG_TURNS,
  LIMIT,
  OFFICE,
  OWNERS_AT,
  TICKET,
  TURN,
  TURN_OF,
  TURN_TAKEN,
} from '../../../core/src/kernel/layout.ts';
import { ADMITTED_DETACHED, TAKEN } from '../../../core/src/kernel/states.ts';
import { high32 } from '../../../core/src/kernel/words.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { SUCCESSOR } from '../../../mutex/src/kernel/layout.ts';
import { agentAt, holdsAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { HOLDS, type Rules } from '../../../core/test/model/witness.ts';
import { invariant } from '../../../mutex/test/model/mutex-world.ts';
import type { GateKernel } from '../../src/gates/kinds.ts';
import { BYTES, comes, enters, leaves, noteAt, waiting, waits } from './arrivals.ts';
import type * as Entry from './entry.ts';
import type { CapacitorCore } from './gate-world.ts';
import { keepLineStates } from './line-states.ts';

export interface TurnActor extends ShadowUser {
  readonly turnstile: Entry.Turnstile;
  /** The agent's own state at the turnstile. */
  readonly turn: ReturnType<typeof Entry.turnAt>;
}
export type TurnBody = (actor: TurnActor) => unknown;

export interface TurnSetup extends OfficeSetup {
  /** B, which does not adapt here. */
  readonly limit: number;
}

export const TURNSTILE = semaphoreAddress(0);
const TAG = tagOf(0);

const AT_ONCE = ['enterTurnstile', 'enterInTurn', 'enqueueAtTurnstile'];
const AFTER_A_WAIT = ['pollTurnstile', 'cancelTurnstileWait'];

/** Whether the agent is inside, according to its kernel steps. */
const RULES: Rules = {
  gains: (step) => AT_ONCE.includes(step) || AFTER_A_WAIT.includes(step),
  loses: (step) => ['leaveTurnstile', 'leaveInTurn', 'departTurnstile'].includes(step),
  releasesForDeadOwner: (step) => step === 'departTurnstileForDead',
};

const officeOf = ({ TURNSTILE: kind }: CapacitorCore): Office => ({
  kind: kind.code,
  load: (context) => context.load(kind).steps,
  flags: [(1 << OWNERS_AT) | FLAG_TURNS | FLAG_GATE],
  rules: RULES,
  invariant,
});

class TurnWorld extends OfficeWorld<TurnActor> {
  readonly #limit: number;

  constructor(core: CapacitorCore, { limit, ...setup }: TurnSetup) {
    super(core, officeOf(core), setup, (plain) => {
      const turnstile = core.turnstileAt(plain.ref, plain.policy);
      const turn = core.turnAt(plain.ref);
      // An agent remembers a turn longer than its body remembers its context.
      const forget = (...summary: number[]): void => plain.ctx.forget(...summary, turn.inside, ...turn.summary);
      const ctx = Object.create(plain.ctx, { forget: { value: forget } }) as Context;
      return {
        ...plain,
        ctx,
        turn,
        turnstile,
        timedChecks: plain.context.lineState(TURNSTILE, TAG, { recorded: false }).timedChecks,
      };
    });
    this.#limit = limit;
  }

  override case(plan: Plan<TurnActor>): Case {
    const { scenario, options } = super.case(plan);
    return { scenario: { ...scenario, bytes: BYTES }, options };
  }

  override context(ctx: Context): AgentContext {
    return keepLineStates(super.context(ctx));
  }

  override layOut(words: Words): void {
    super.layOut(words);
    words.put32(TURNSTILE + LIMIT, this.#limit);
  }

  protected override words(ctx: Context): Words {
    const words = super.words(ctx);
    const known = views.get(words) ?? watchTickets(words, ctx);
    views.set(words, known);
    return known;
  }

  protected override kernel(ctx: Context): Kernel {
    return watchOrder(super.kernel(ctx), ctx, Math.trunc((5 * this.#limit) / 4));
  }
}

const views = new WeakMap<Words, Words>();

/** Records that the agent waits from here on, and how many agents wait before it. */
function waitsBehind(words: Words, agent: number): void {
  words.put32(noteAt(agent), waiting(words));
  waits(words, agent, true);
}

/** Records the ticket from which on an agent waits. B does not change. */
function watchTickets(words: Words, { words: seam, index }: Context): Words {
  return {
    ...words,
    put32: (address, value) => {
      if (address !== TURNSTILE + LIMIT) words.put32(address, value);
    },
    add64: (address, delta) => {
      const found = words.add64(address, delta);
      if (address === TURNSTILE + TICKET) waitsBehind(seam, index);
      return found;
    },
  };
}

/** False if the agent took the turn over from another agent. */
function isTurnOf(words: Words, agent: number): boolean {
  const turn = words.get32(TURNSTILE + TURN);
  return turn >>> TURN_OF === agent + 1 && (turn & TURN_TAKEN) === 0;
}

/**
 * A waiter with w waiters before it may be overtaken by at most w + 1 turns of B later arrivals each. Each arrival is
 * in the arriving agent's own turn.
 */
function watchOrder(kernel: Kernel, ctx: Context, passes: number): Kernel {
  type Step = (...args: number[]) => number;
  const { words, index } = ctx;
  const wrap = (name: string, step: Step): Step => {
    const isAtOnce = AT_ONCE.includes(name);
    if (!isAtOnce && !AFTER_A_WAIT.includes(name)) return step;
    return (...args) => {
      // A wait of a dead agent.
      if (name === 'cancelTurnstileWait' && args[3] === 1) return step(...args);
      // From its first check on, other agents may be admitted.
      if (name === 'cancelTurnstileWait') leaves(words, index);
      const wasOurs = isTurnOf(words, index);
      const result = step(...args);
      if (result !== TAKEN && result !== ADMITTED_DETACHED) return result;
      if (isAtOnce) {
        comes(words, index);
        // The agent's turn may end within the step, and another agent's may begin.
        const isInTurn = (high32(words.get64(TURNSTILE + OFFICE)) & SUCCESSOR) !== 0;
        ctx.assert(!isInTurn || wasOurs || isTurnOf(words, index), 'the agent entered in the turn of another agent');
      }
      enters(ctx, index, (waiter) => (words.get32(noteAt(waiter)) + 1) * passes + 1);
      return result;
    };
  };
  const steps = Object.entries(kernel) as [string, Step][];
  return Object.fromEntries(steps.map(([name, step]) => [name, wrap(name, step)])) as unknown as Kernel;
}

export function turnWorld(core: CapacitorCore, setup: TurnSetup): TurnWorld {
  return new TurnWorld(core, setup);
}

/** Agent 0 is inside. The next agents are enqueued, asleep. */
export const insideWith =
  (waiters: number) =>
  (words: Words, plain: Kernel): void => {
    const kernel = plain as GateKernel;
    kernel.enterTurnstile(TURNSTILE, TAG, 1);
    words.put32(holdsAt(0), HOLDS);
    for (let agent = 1; agent <= waiters; agent++) {
      putToSleep(words, kernel, agent, asElement(kernel.enqueueAtTurnstile(TURNSTILE, TAG, agentAt(agent), 1)));
      waitsBehind(words, agent);
    }
  };
