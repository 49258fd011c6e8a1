// The scenarios that the turnstile has to survive: turns of several passes, and agents that go out and come back late or never.

import type { Options } from '@sluice/model';
import { reclaim, sleepOn } from '../../../core/test/model/office-bodies.ts';
import type { Plan } from '../../../core/test/model/office-world.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import { insideAt, PULSE } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/semaphore-cases.ts';
import { LEASE } from '../../src/kernel/layout.ts';
import { noteAt } from './arrivals.ts';
import type { CapacitorCore } from './gate-world.ts';
import { awayWith, TURNSTILE, turnWith, turnWorld, type TurnActor, type TurnBody, type TurnSetup } from './turnstile-world.ts';

const ALL: Options = {};
const NONE: Options = { preemptions: 0 };
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };

/** Is inside for a moment, and departs. Nothing is forgotten on the way, as a turn is remembered. */
function stay({ ctx, turnstile }: TurnActor): void {
  ctx.words.put32(insideAt(ctx.index), 1);
  ctx.step('inside');
  ctx.words.load32(PULSE);
  ctx.words.put32(insideAt(ctx.index), 0);
  turnstile.depart();
}

const end = ({ ctx }: TurnActor): void => ctx.words.store32(noteAt(ctx.index), 1);

/** Goes in so many times, and no more. */
const pass =
  (times: number): TurnBody =>
  (actor) => {
    for (let time = 0; time < times; time++) {
      actor.turnstile.arrive();
      stay(actor);
    }
    end(actor);
  };

/** As `pass`, but may give up at any moment of its sleep. */
const tryPass =
  (times: number): TurnBody =>
  (actor) => {
    for (let time = 0; time < times; time++) if (actor.turnstile.tryArrive(1)) stay(actor);
    end(actor);
  };

/** Never waits. */
const glance =
  (times: number): TurnBody =>
  (actor) => {
    for (let time = 0; time < times; time++) if (actor.turnstile.tryArrive()) stay(actor);
    end(actor);
  };

function beInside({ turn }: TurnActor): void {
  turn.inside = 1;
  turn.passes = 1;
}

/** Inside from the start, and comes back so many times. */
const comeBack =
  (times: number): TurnBody =>
  (actor) => {
    beInside(actor);
    stay(actor);
    return pass(times)(actor);
  };

/** In line from the start. */
const sleep =
  (timed = false): TurnBody =>
  (actor) => {
    if (sleepOn(actor, 0, timed)) {
      beInside(actor);
      stay(actor);
    }
    end(actor);
  };

/** Looks after those that went out, as a waiter does, until the agents before this one have ended. */
const patrol: TurnBody = (actor) => {
  const { ctx } = actor;
  const { words } = ctx;
  const have = (agent: number): boolean => ctx.dead(agent) || words.load32(noteAt(agent)) !== 0;
  const others = ctx.index === 0 ? [] : [...Array(ctx.index).keys()];
  for (;;) {
    ctx.until(() => words.load32(TURNSTILE + LEASE) !== 0 || others.every(have));
    if (words.load32(TURNSTILE + LEASE) !== 0) actor.waitersPatrol?.look(asElement(0));
    else if (others.every(have)) break;
  }
  end(actor);
};

const recover =
  (...victims: readonly number[]): TurnBody =>
  (actor) => {
    reclaim(...victims)(actor);
    end(actor);
  };

export function turnstileCases(core: CapacitorCore): Case[] {
  const make = (
    name: string,
    limit: number,
    bodies: readonly TurnBody[],
    options: Options,
    more: Partial<TurnSetup & Plan<TurnActor>> = {},
  ): Case => {
    const hasty = [...bodies.keys()].filter((agent) => bodies[agent] === patrol);
    return turnWorld(core, { agents: bodies.length, limit, hasty, ...more }).case({ name, bodies, options, ...more });
  };
  const line = (waiters: number): Partial<Plan<TurnActor>> => ({ before: turnWith(waiters) });
  const mayCrash = { mayCrash: [0] };
  return [
    make('turnstile, B = 1, two agents', 1, [pass(2), pass(1), patrol], TWO),
    make('turnstile, B = 1, comes back', 1, [comeBack(1), sleep(), patrol], { preemptions: 3 }, line(1)),
    make('turnstile, B = 2, comes back', 2, [comeBack(3), sleep(), patrol], TWO, line(1)),
    make('turnstile, comes back to give up', 2, [comeBack(0), sleep(true), patrol], ALL, line(1)),
    make('turnstile, a waiter may give up', 1, [comeBack(1), sleep(true), patrol], TWO, line(1)),
    make('turnstile, one more comes', 1, [comeBack(1), sleep(), pass(1), patrol], ONE, line(1)),
    make('turnstile, one comes when a turn is ended', 1, [end, sleep(), pass(1), patrol], ONE, {
      before: awayWith(1),
    }),
    make('turnstile, two wait', 1, [comeBack(1), sleep(), sleep(), patrol], ONE, line(2)),
    make('turnstile, both of two may give up', 1, [comeBack(1), sleep(true), sleep(true), patrol], ONE, line(2)),
    make('turnstile, two look after it', 1, [comeBack(1), sleep(), patrol, patrol], ONE, line(1)),
    make('turnstile, one that does not wait', 1, [comeBack(1), sleep(), glance(2), patrol], ONE, line(1)),
    make('turnstile, an agent with a short timeout checks it', 1, [comeBack(1), sleep(), tryPass(2), patrol], NONE, {
      ...line(1),
      hasty: [2, 3],
    }),
    make('turnstile, death inside or away', 1, [comeBack(1), sleep(), patrol, recover(0)], ONE, { ...line(1), ...mayCrash }),
    make('turnstile, death away, and no agent checks it', 1, [comeBack(1), sleep(), recover(0)], ALL, {
      ...line(1),
      ...mayCrash,
    }),
    make('turnstile, death of one of two', 1, [pass(2), pass(1), patrol, recover(0)], ONE, mayCrash),
    make('turnstile, death of a waiter', 1, [comeBack(1), sleep(), patrol, recover(1)], ONE, { ...line(1), mayCrash: [1] }),
    make('turnstile, death of the agent that checks it', 1, [comeBack(1), sleep(), patrol, patrol, recover(2)], NONE, {
      ...line(1),
      mayCrash: [2],
    }),
    make('turnstile, death of one and of its reclaimer', 1, [comeBack(1), sleep(), recover(0), recover(2, 0)], NONE, {
      ...line(1),
      mayCrash: [0, 2],
      deaths: 2,
    }),
  ];
}
