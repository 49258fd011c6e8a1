// Cases of a capacitor with two lanes.

import type { Options } from '@sluice/model';
import { enterOrAbort } from '../../../core/test/model/office-bodies.ts';
import type { Plan } from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { GateKernel } from '../../src/gates/kinds.ts';
import { depart, glance, leave, pass, sleep, sleepTimed, stay, tryPass } from './capacitor-cases.ts';
import {
  gateWorld,
  startWith,
  type CapacitorCore,
  type GateActor,
  type GateBody,
  type GateSetup,
} from './gate-world.ts';
import { LANED, TAG } from './lanes.ts';
import { LANE_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

export const passOrAbort: GateBody = (actor) => {
  const { ctx, context } = actor;
  const entry = entryAt(ctx.index, 0);
  if (
    enterOrAbort(actor, () => (context.kernel as GateKernel).arriveInLane(LANED, TAG, entry, agentAt(ctx.index)), entry)
  )
    stay(actor);
};

/** Enqueued and asleep from the start: cancels, and comes back. */
const leaveAndReturn: GateBody = (actor) => {
  leave(actor);
  actor.ctx.forget();
  actor.gate.arrive();
  stay(actor);
};

/** The first `limit` agents are inside, and `waiting` agents are enqueued. */
export const laneLine = (limit: number, waiting: number): Partial<Plan<GateActor>> => ({
  before: startWith(limit, waiting, true),
});

export function laneCases(core: CapacitorCore): Case[] {
  const make = (
    name: string,
    limit: number,
    bodies: readonly GateBody[],
    options: Options,
    more: Partial<GateSetup & Plan<GateActor>> = {},
  ): Case =>
    gateWorld(core, { agents: bodies.length, limit, lanes: true, ...more }).case({ name, bodies, options, ...more });
  return [
    make('the walk ends before it has visited all waiters of the last lane', 2, [pass(2), pass(2)], ALL),
    make('lanes, B = 3, two agents', 3, [pass(2), pass(2)], ALL),
    make('lanes, both agents may time out', 2, [tryPass(2), tryPass(2)], TWO),
    make('lanes, counters that wrap', 2, [pass(2), tryPass(2)], ONE, { start: 2n ** 31n - 2n }),
    make('lanes, a non-blocking arrival races an arrival', 2, [pass(2), glance(2)], ALL),
    make('lanes, two non-blocking arrivals race', 2, [pass(), glance(), glance()], TWO),
    make('lanes, an arrival may be aborted', 2, [pass(2), passOrAbort], ALL),
    make('lanes, B = 2, three agents', 2, [pass(), pass(), pass()], TWO),
    make('lanes, B = 3, three agents', 3, [pass(2), pass(), pass()], TWO),
    make('lanes, three agents may time out', 2, [tryPass(), tryPass(), tryPass()], TWO),
    make('lanes, B = 2, four agents', 2, [pass(), pass(), pass(), pass()], ONE),
    make('lanes, two agents wait', 2, [depart, depart, sleep, sleep], TWO, laneLine(2, 2)),
    make('lanes, the first of two waiters cancels', 2, [depart, depart, leave, sleep], TWO, laneLine(2, 2)),
    make('lanes, the last of two waiters cancels', 2, [depart, depart, sleep, leave], TWO, laneLine(2, 2)),
    make('lanes, both of two waiters cancel', 2, [depart, depart, leave, leave], TWO, laneLine(2, 2)),
    make('lanes, both of two waiters may time out', 2, [depart, depart, sleepTimed, sleepTimed], ONE, laneLine(2, 2)),
    make('lanes, one agent waits while another arrives', 2, [depart, depart, sleep, pass()], ONE, laneLine(2, 1)),
    make('lanes, B = 3, one agent waits', 3, [depart, depart, depart, sleep], ONE, laneLine(3, 1)),
    make('lanes, B = 3, an agent opens the lanes late', 3, [pass(2), pass(4)], TWO),
    make('lanes, the only waiter cancels and comes back', 2, [depart, depart, leaveAndReturn], TWO, laneLine(2, 1)),
    make(
      'lanes, the first of two waiters cancels and comes back',
      2,
      [depart, depart, leaveAndReturn, sleep],
      ONE,
      laneLine(2, 2),
    ),
    make('lanes, two buckets, the first of two waiters cancels', 2, [depart, depart, leave, sleep], ONE, {
      ...laneLine(2, 2),
      buckets: 2,
    }),
    // Every word is watched, even words that only one agent should use.
    make('lanes, two agents, every word watched', 2, [pass(2), pass()], LOCAL, { watched: false }),
    // The other agents take the places in its lane, and one permit goes unused.
    {
      fails: 'assertion',
      ...make('lanes, an agent stops between its place and its ticket', 3, [pass(3), pass(3), pass()], ONE),
    },
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'lanes', entry: new URL('entry.ts', import.meta.url), cases: laneCases, mutants: LANE_MUTANTS },
];
