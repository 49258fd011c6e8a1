// Cases of the estimate of an adaptive limit: agents add their samples, complete a window and change the size, and die.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { recoverOnce } from '../../../../core/test/model/death-bodies.ts';
import { ESTIMATE_MUTANTS } from './estimate-mutants.ts';
import { DONE, EstimateWorld, problemOf, type EstimateBody, type EstimateCore, type Plan } from './estimate-world.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
/** One preemption more in the soak, which costs minutes. */
const FEW: Options = { preemptions: soakSize(1, 2) };

/** The number of samples with which a window ends. */
const WINDOW = 32;

const calls =
  (count = 1): EstimateBody =>
  ({ call }) => {
    for (let n = 0; n < count; n++) call();
  };

const overload: EstimateBody = (actor) => actor.overload();

/** Makes a call, and another one in its turn: by then no agent has the lock, so all its samples are added. */
const callsInTurn =
  (turn: number, agents: number): EstimateBody =>
  ({ ctx, call }) => {
    call();
    ctx.words.add32(DONE, 1);
    ctx.until(() => ctx.words.load32(DONE) >= agents + turn);
    call();
    ctx.words.add32(DONE, 1);
  };

/** Reads the state as a report does. */
const report: EstimateBody = ({ ctx, shared }) => {
  const { estimate, samples, epoch } = shared.read();
  const problem = problemOf({ size: estimate.size, count: samples.count, sum: samples.sum, epoch });
  ctx.assert(problem === undefined, `a reader found that ${problem}`);
};

/** Recovers the dead agent. Then makes calls, and runs a function, which repairs the number of slots that it left. */
const bury =
  (victim: number): EstimateBody =>
  (actor) => {
    const { ctx, slots, call } = actor;
    if (ctx.waitForDeath(victim)) recoverOnce(actor, victim);
    call();
    call();
    if (slots.tryTake()) slots.giveBack();
  };

export function estimateCases(core: EstimateCore): Case[] {
  const make = (name: string, bodies: readonly EstimateBody[], options: Options, more: Partial<Plan> = {}): Case =>
    new EstimateWorld(core, { name, bodies, options, ...more }).case;
  const first = { mayCrash: [0] };
  /** One more call ends the window, and the size becomes 2. */
  const raises = { count: WINDOW - 1 };
  /** Overloads of one third of the window at the size 2: the size becomes 1. */
  const lowers = { size: 2, count: WINDOW - 11, overloads: 10 };
  return [
    make('two agents add their samples', [callsInTurn(0, 2), callsInTurn(1, 2)], ALL, { count: 10, ends: 14 }),
    make('one agent reads while another adds samples', [report, calls(2)], ALL, { count: 10, ends: 12 }),
    make('one agent reads while two add samples', [report, calls(2), calls()], TWO, { count: 10 }),
    make('two agents end calls of one window', [calls(), calls()], ALL, raises),
    make('two agents end two calls each while the size rises', [calls(2), calls(2)], TWO, raises),
    make('two agents end calls while the size falls', [overload, calls()], ALL, lowers),
    make('one agent raises the size while another reads', [calls(), report], ALL, raises),
    make('a window ends at the maximum', [calls()], ALL, { size: 2, count: WINDOW - 1 }),
    make('a window of overloads ends at the minimum', [overload], ALL, { count: WINDOW - 11, overloads: 10 }),
    make('death of an agent that adds samples', [calls(2), calls(), bury(0)], FEW, { ...first, count: 10 }),
    make('death of an agent that raises the size', [calls(), bury(0)], TWO, { ...first, ...raises }),
    make('death of an agent that raises the size while another adds samples', [calls(), calls(), bury(0)], FEW, {
      ...first,
      ...raises,
    }),
    make('death of an agent that lowers the size', [overload, bury(0)], TWO, { ...first, ...lowers }),
    make('one agent reads while another raises the size and dies', [calls(), report, bury(0)], FEW, {
      ...first,
      ...raises,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'adaptive limit',
    entry: new URL('entry.ts', import.meta.url),
    cases: estimateCases,
    mutants: ESTIMATE_MUTANTS,
  },
];
