// Cases of the turnstile: turns of one or two passes, tasks of one agent, agents that do not come back, and deaths.

import type { Options } from '@sluice/model';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import {
  drawTicket,
  endWait,
  enterOrAbort,
  giveUp,
  reclaim,
  sleepOn,
  visit,
} from '../../../core/test/model/office-bodies.ts';
import type { Plan } from '../../../core/test/model/office-world.ts';
import { tagOf } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { GateKernel } from '../../src/gates/kinds.ts';
import type { CapacitorCore } from './gate-world.ts';
import { insideWith, TURNSTILE, turnWorld, type TurnActor, type TurnBody, type TurnSetup } from './turnstile-world.ts';
import { TURNSTILE_MUTANTS } from './lock-mutants.ts';

const ALL: Options = {};
const NONE: Options = { preemptions: 0 };
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
const THREE: Options = { preemptions: 3 };

/** Goes in, and departs. `summary`: the state that the body keeps from before. */
function stay(actor: TurnActor, ...summary: number[]): void {
  visit(actor, 1, ...summary);
  actor.turnstile.depart();
}

/** Goes in `times` times. */
const pass =
  (rounds = 1): TurnBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      actor.turnstile.arrive();
      stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** As `pass`, but may time out at any moment of its sleep. */
const tryPass =
  (rounds = 1): TurnBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      if (actor.turnstile.tryArrive(1)) stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** Makes non-blocking calls. */
const glance =
  (rounds = 1): TurnBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      if (actor.turnstile.tryArrive()) stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** Goes in with two tasks, one nested in the other. */
const nest =
  (rounds = 1): TurnBody =>
  (actor) => {
    const { ctx, turnstile } = actor;
    for (let round = 0; round < rounds; round++) {
      turnstile.arrive();
      ctx.assert(turnstile.tryArrive(), 'a task of the agent inside could not enter');
      turnstile.depart();
      stay(actor, round);
      ctx.forget(round);
    }
  };

/** Inside from the start. Comes back `times` times. */
const comeBack =
  (rounds: number): TurnBody =>
  (actor) => {
    actor.turn.inside = 1;
    stay(actor);
    return pass(rounds)(actor);
  };

const enqueue =
  ({ context }: TurnActor) =>
  (): number =>
    (context.kernel as GateKernel).enqueueAtTurnstile(TURNSTILE, tagOf(0), context.agent, 1);

/** Records an admission after a wait that the case made by hand. */
function stayAsWaiter(actor: TurnActor): void {
  actor.turn.inside = 1;
  stay(actor);
}

/** A task of the agent inside is enqueued behind it. The agent departs, comes back once, and waits for that task. */
const passBeforeTask: TurnBody = (actor) => {
  const { core, context, policy, turnstile } = actor;
  turnstile.arrive();
  const element = asElement(drawTicket(actor, enqueue(actor)));
  core.enterChain(context, element);
  stay(actor, element);
  if (turnstile.tryArrive()) stay(actor, element);
  if (
    endWait(
      actor,
      element,
      core.sleepInLine(
        context,
        { line: actor.line, entry: 0, timedChecks: actor.timedChecks },
        element,
        policy,
        Infinity,
      ),
    )
  )
    stayAsWaiter(actor);
};

const passOrAbort: TurnBody = (actor) => {
  if (enterOrAbort(actor, enqueue(actor), 0)) stayAsWaiter(actor);
};

/** Enqueued from the start. */
const wait: TurnBody = (actor) => {
  if (sleepOn(actor, 0)) stayAsWaiter(actor);
};
const waitAndPass: TurnBody = (actor) => {
  wait(actor);
  return pass()(actor);
};
const waitTimed: TurnBody = (actor) => {
  if (sleepOn(actor, 0, true)) stayAsWaiter(actor);
};
const leave: TurnBody = (actor) => {
  if (giveUp(actor, 0)) stayAsWaiter(actor);
};

/** Recovers agent 1, and then claims its element if that is free. */
const recoverAndRefill: TurnBody = (actor) => {
  const { core, context } = actor;
  reclaim(1)(actor);
  try {
    context.refill();
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_ARENA_FULL')) throw error;
  }
};

export function turnstileCases(core: CapacitorCore): Case[] {
  const make = (
    name: string,
    limit: number,
    bodies: readonly TurnBody[],
    options: Options,
    more: Partial<TurnSetup & Plan<TurnActor>> = {},
  ): Case =>
    turnWorld(core, { agents: bodies.length, limit, ...more }).case({
      name: `turnstile, ${name}`,
      bodies,
      options,
      ...more,
    });
  const line = (waiters: number): Partial<Plan<TurnActor>> => ({ before: insideWith(waiters) });
  const mayCrash = { mayCrash: [0] };
  return [
    make('B = 1, two agents', 1, [pass(2), pass(2)], THREE),
    make('B = 1, an agent comes back', 1, [comeBack(2), wait], ALL, line(1)),
    make('B = 2, an agent comes back', 2, [comeBack(3), wait], THREE, line(1)),
    make('an agent departs and does not come back', 1000, [comeBack(0), wait], ALL, line(1)),
    make('a waiter may time out', 1, [comeBack(1), waitTimed], ALL, line(1)),
    make('one of two agents may time out twice', 1, [pass(), tryPass(2)], ALL),
    make('a waiter cancels', 2, [comeBack(1), leave], ALL, line(1)),
    make('an arrival may be aborted', 2, [pass(2), passOrAbort], ALL),
    make('an agent arrives late in the turn of another', 1, [comeBack(2), wait, pass()], TWO, line(1)),
    make(
      'a third agent arrives in the turn of an agent that does not come back',
      1000,
      [comeBack(0), wait, pass(2)],
      TWO,
      line(1),
    ),
    make('two agents wait', 1, [comeBack(1), wait, wait], TWO, line(2)),
    make('both of two waiters may time out', 1, [comeBack(1), waitTimed, waitTimed], ONE, line(2)),
    make('B = 1, three agents', 1, [pass(2), pass(), tryPass()], TWO),
    make('an agent comes back in the turn of another', 1, [comeBack(1), waitAndPass, wait], TWO, line(2)),
    make('a non-blocking arrival in the turn of another agent', 2, [comeBack(1), wait, glance(2)], TWO, line(1)),
    make('an agent with two tasks inside', 2, [nest(2), pass()], ALL),
    make('two agents, each with two tasks inside', 1, [nest(), nest()], ALL),
    make('a task is enqueued behind its own agent', 2, [passBeforeTask, pass()], THREE),
    make(
      'a task is enqueued behind its own agent, and another agent may time out',
      2,
      [passBeforeTask, tryPass()],
      THREE,
    ),
    make('death of one of two agents', 2, [pass(2), pass(), reclaim(0)], TWO, mayCrash),
    make('death of an agent inside or outside', 2, [comeBack(1), wait, reclaim(0)], ALL, { ...line(1), ...mayCrash }),
    make('death of an agent with two tasks inside', 2, [nest(), pass(), reclaim(0)], TWO, mayCrash),
    make('death of an async waiter', 2, [passOrAbort, pass(), reclaim(0)], TWO, mayCrash),
    make('death of a waiter', 2, [comeBack(1), wait, recoverAndRefill], TWO, {
      ...line(1),
      mayCrash: [1],
      elements: 2,
    }),
    make('death of a successor', 2, [comeBack(1), wait, pass(), reclaim(1)], ONE, { ...line(1), mayCrash: [1] }),
    make('death of an agent, then of its reclaimer', 2, [comeBack(1), wait, reclaim(0), reclaim(2, 0)], NONE, {
      ...line(1),
      mayCrash: [0, 2],
      deaths: 2,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'turnstile', entry: new URL('entry.ts', import.meta.url), cases: turnstileCases, mutants: TURNSTILE_MUTANTS },
];
