// Cases of the capacitor. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions.

import type { Options } from '@sluice/model';
import { enterOrAbort, giveUp, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import type { Plan } from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import {
  gateWorld,
  startWith,
  type CapacitorCore,
  type GateActor,
  type GateBody,
  type GateSetup,
} from './gate-world.ts';
import type { EntryAddress } from '../../../core/src/kernel/addresses.ts';
import { CAPACITOR_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
const THREE: Options = { preemptions: 3 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

/** Values just below those at which double and 64-bit counters lose precision or wrap. */
const WRAPS = [2n ** 53n - 1n, 2n ** 63n - 1n];

/** Goes in, and departs. `summary`: the state that the body keeps from before. */
export function stay(actor: GateActor, ...summary: number[]): void {
  visit(actor, 1, ...summary);
  actor.gate.depart();
}

export const pass =
  (rounds = 1): GateBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      actor.gate.arrive();
      stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** As `pass`, but may time out at any moment of its sleep. */
export const tryPass =
  (rounds = 1): GateBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      if (actor.gate.tryArrive(1)) stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** Makes non-blocking calls. */
export const glance =
  (rounds = 1): GateBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      if (actor.gate.tryArrive()) stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** Is inside twice at the same time. */
export const passTwice: GateBody = (actor) => {
  actor.gate.arrive();
  if (actor.gate.tryArrive(1)) stay(actor, 0);
  stay(actor, 1);
};

const entryOf = ({ ctx }: GateActor): EntryAddress => entryAt(ctx.index, 0);

export const passOrAbort: GateBody = (actor) => {
  const { ctx, context } = actor;
  const draw = (): number =>
    context.kernel.acquire(semaphoreAddress(0), tagOf(0), entryOf(actor), 1, agentAt(ctx.index));
  if (enterOrAbort(actor, draw, entryOf(actor))) stay(actor);
};

/** Inside from the start, or enqueued and asleep. */
export const depart: GateBody = (actor) => stay(actor);
export const departWatched: GateBody = (actor) => actor.gate.depart();
export const sleep: GateBody = (actor) => {
  if (sleepOn(actor, entryOf(actor))) stay(actor);
};
export const sleepTimed: GateBody = (actor) => {
  if (sleepOn(actor, entryOf(actor), true)) stay(actor);
};
export const leave: GateBody = (actor) => {
  if (giveUp(actor, entryOf(actor))) stay(actor);
};

export function capacitorCases(core: CapacitorCore): Case[] {
  const make = (
    name: string,
    limit: number,
    bodies: readonly GateBody[],
    options: Options,
    more: Partial<GateSetup & Plan<GateActor>> = {},
  ): Case => gateWorld(core, { agents: bodies.length, limit, ...more }).case({ name, bodies, options, ...more });
  const line = (inside: number, waiting: number): Partial<Plan<GateActor>> => ({ before: startWith(inside, waiting) });
  return [
    make('B = 1, two agents', 1, [pass(2), pass(2)], ALL),
    make('B = 2, two agents', 2, [pass(2), pass(2)], ALL),
    make('B = 3, two agents', 3, [pass(2), pass(2)], ALL),
    make('B = 1, one of two agents may time out', 1, [pass(2), tryPass()], ALL),
    make('B = 2, both agents may time out', 2, [tryPass(2), tryPass(2)], ALL),
    make('B = 1, a non-blocking arrival', 1, [pass(2), glance(2)], ALL),
    make('B = 2, a non-blocking arrival', 2, [pass(2), glance(2)], ALL),
    make('B = 1, an abort races an opening', 1, [pass(), passOrAbort], ALL),
    make('B = 2, an agent is inside twice', 2, [passTwice, pass()], ALL),
    make('B = 3, an agent is inside twice', 3, [passTwice, pass(2)], ALL),
    ...WRAPS.map((start) => make(`counters start at ${start}`, 1, [pass(2), tryPass()], ALL, { start })),
    make('B = 1, three agents', 1, [pass(), pass(), pass()], TWO),
    make('B = 2, three agents', 2, [pass(), pass(), pass()], THREE),
    make('B = 3, three agents', 3, [pass(2), pass(), pass()], TWO),
    make('B = 2, three agents, all of which may time out', 2, [tryPass(), tryPass(), tryPass()], TWO),
    make('B = 2, three agents, one of which arrives twice', 2, [pass(2), tryPass(), pass()], ONE),
    make('B = 2, four agents', 2, [pass(), pass(), pass(), pass()], ONE),
    make('the only waiter cancels', 1, [depart, leave], ALL, line(1, 1)),
    make('the only waiter cancels while another agent arrives', 1, [depart, leave, pass()], TWO, line(1, 1)),
    make('the first of two waiters cancels', 1, [depart, leave, sleep], TWO, line(1, 2)),
    make('the last of two waiters cancels', 1, [depart, sleep, leave], TWO, line(1, 2)),
    make('both of two waiters cancel', 1, [depart, leave, leave], TWO, line(1, 2)),
    make('both of two waiters may time out', 2, [depart, depart, sleepTimed, sleepTimed], ONE, line(2, 2)),
    make('two agents wait', 2, [depart, depart, sleep, sleep], TWO, line(2, 2)),
    make('one agent waits while another arrives', 2, [depart, depart, sleep, pass()], TWO, line(2, 1)),
    make('B = 2, the first of two waiters cancels', 2, [depart, depart, leave, sleep], TWO, line(2, 2)),
    make('two buckets, two agents wait', 2, [depart, depart, sleep, sleep], ONE, { ...line(2, 2), buckets: 2 }),
    make('two buckets, the first of two waiters cancels', 1, [depart, leave, sleep], TWO, {
      ...line(1, 2),
      buckets: 2,
    }),
    // Every word is watched, even words that only one agent should use.
    make('two agents, every word watched', 2, [pass(), pass()], { ...LOCAL, preemptions: 2 }, { watched: false }),
    make('the first of two waiters cancels, every word watched', 1, [departWatched, leave, sleep], LOCAL, {
      ...line(1, 2),
      watched: false,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'capacitor', entry: new URL('entry.ts', import.meta.url), cases: capacitorCases, mutants: CAPACITOR_MUTANTS },
];
