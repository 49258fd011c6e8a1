// Cases in which agents die: before any kernel step, write or notification, or asleep. The capacitor still opens, and
// for no agent too early.

import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Plan } from '../../../core/test/model/office-world.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { depart, pass, passOrAbort, passTwice, sleep, tryPass } from './capacitor-cases.ts';
import {
  gateWorld,
  startWith,
  type CapacitorCore,
  type GateActor,
  type GateBody,
  type GateSetup,
} from './gate-world.ts';
import { laneLine, passOrAbort as passLaneOrAbort } from './lane-cases.ts';
import { DEATH_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const NONE: Options = { preemptions: 0 };
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };

type More = Partial<GateSetup & Plan<GateActor>>;

/** Inside from the start. Departs, and then recovers another agent. */
const departAndReclaim =
  (victim: number): GateBody =>
  (actor) => {
    depart(actor);
    reclaim(victim)(actor);
  };

export function capacitorDeathCases(core: CapacitorCore): Case[] {
  const make = (name: string, limit: number, bodies: readonly GateBody[], options: Options, more: More = {}): Case =>
    gateWorld(core, { agents: bodies.length, limit, ...more }).case({ name, bodies, options, mayCrash: [0], ...more });
  const line = (inside: number, waiting: number): More => ({ before: startWith(inside, waiting) });
  const lanes = { lanes: true };
  const both = { mayCrash: [0, 1], deaths: 2 };
  return [
    make('B = 1, death of one of two agents', 1, [pass(), pass(), reclaim(0)], ALL),
    make('B = 2, death of one of two agents', 2, [pass(), pass(2), reclaim(0)], TWO),
    make('death of an agent that is inside twice', 2, [passTwice, pass(), reclaim(0)], TWO),
    make('death of an agent that may time out', 1, [tryPass(), pass(), reclaim(0)], TWO),
    make('death of an agent while another may time out', 1, [pass(), tryPass(), reclaim(0)], TWO),
    make('death of an async waiter', 1, [passOrAbort, pass(), reclaim(0)], ALL),
    make('death of a waiter ahead of another', 1, [depart, sleep, sleep, reclaim(1)], ONE, {
      ...line(1, 2),
      mayCrash: [1],
    }),
    make('death of a waiter behind another', 1, [depart, sleep, sleep, reclaim(2)], ONE, {
      ...line(1, 2),
      mayCrash: [2],
    }),
    make('death of the agent that admits two waiters', 2, [depart, departAndReclaim(0), sleep, sleep], ONE, line(2, 2)),
    make(
      'two buckets, death of the agent that admits two waiters',
      2,
      [depart, departAndReclaim(0), sleep, sleep],
      ONE,
      {
        ...line(2, 2),
        buckets: 2,
      },
    ),
    make('death of an agent, then of its reclaimer', 1, [pass(), reclaim(0), reclaim(1, 0)], ALL, both),
    make(
      'death of an agent, then of its reclaimer, while another waits',
      1,
      [depart, reclaim(0), reclaim(1, 0), pass()],
      NONE,
      {
        ...line(1, 0),
        ...both,
      },
    ),
    make('lanes, death of one of two agents', 2, [pass(), pass(2), reclaim(0)], ONE, lanes),
    make('lanes, death of an async waiter', 2, [passLaneOrAbort, pass(2), reclaim(0)], ONE, lanes),
    make('lanes, death of a waiter', 2, [depart, departAndReclaim(2), sleep, sleep], ONE, {
      ...lanes,
      ...laneLine(2, 2),
      mayCrash: [2],
    }),
    make('lanes, death of the agent that admits two waiters', 2, [depart, departAndReclaim(0), sleep, sleep], ONE, {
      ...lanes,
      ...laneLine(2, 2),
    }),
    make(
      'lanes, death of the agent that admits two waiters, then of its reclaimer',
      2,
      [depart, departAndReclaim(0), sleep, reclaim(1, 0)],
      NONE,
      {
        ...lanes,
        ...laneLine(2, 1),
        ...both,
      },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'capacitor death',
    entry: new URL('entry.ts', import.meta.url),
    cases: capacitorDeathCases,
    mutants: DEATH_MUTANTS,
  },
];
