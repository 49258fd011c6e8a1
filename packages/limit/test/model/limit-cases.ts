// The scenarios for the slots of a limit: agents set the number of slots, while functions begin and end.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { recoverOnce } from '../../../core/test/model/death-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { claimsOn, LimitWorld, type LimitBody, type LimitCore, type Plan } from './limit-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
/** One more in the soak, because it costs minutes. */
const FEW: Options = { preemptions: soakSize(1, 2) };

/** Sets how many there should be. */
const set =
  (...sizes: readonly number[]): LimitBody =>
  ({ slots }) => {
    for (const size of sizes) slots.resize(size);
  };

/** A function that waits for a slot without a limit, and runs in it. */
const run: LimitBody = ({ ctx, sem, slots }) => {
  if (!slots.tryTake()) sem.acquire();
  ctx.step('while it runs');
  slots.giveBack();
};

/** A call that runs only if a slot is free. */
const tryRun: LimitBody = ({ ctx, slots }) => {
  if (!slots.tryTake()) return;
  ctx.step('while it runs');
  slots.giveBack();
};

/** A function that hands its slot on to a call of the same agent, unless other agents want it. */
const passOn: LimitBody = (actor) => {
  const { ctx, slots } = actor;
  if (!slots.tryTake()) return;
  ctx.step('while it runs');
  const before = claimsOn(actor);
  const keeps = slots.wanted() <= 0;
  const after = claimsOn(actor);
  // In these cases a surplus and a waiter begin at most once each. What is there before and after was there all the
  // time.
  ctx.assert(!(keeps && before.surplus && after.surplus), 'a surplus slot was handed on');
  ctx.assert(!(keeps && before.waiter && after.waiter), 'a slot was handed on past a waiter');
  if (keeps) ctx.step('while the next one runs');
  slots.giveBack();
};

const wait: LimitBody = ({ sem, slots }) => {
  sem.acquire();
  slots.giveBack();
};

const both =
  (...bodies: readonly LimitBody[]): LimitBody =>
  (actor) => {
    for (const body of bodies) body(actor);
  };

/** Recovers the dead agents. Then a function of this agent repairs the number that they left. */
const bury =
  (...victims: readonly number[]): LimitBody =>
  (actor) => {
    for (const victim of victims) if (actor.ctx.waitForDeath(victim)) recoverOnce(actor, victim);
    run(actor);
  };

export function limitCases(core: LimitCore): Case[] {
  const make = (
    name: string,
    [size, most]: readonly [number, number],
    bodies: readonly LimitBody[],
    options: Options,
    more: Partial<Plan> = {},
  ): Case => new LimitWorld(core, { name, size, most, bodies, options, ...more }).case;
  const first = { mayCrash: [0] };
  const two = { mayCrash: [0, 1], deaths: 2 };
  return [
    make('one makes it more, one runs', [1, 3], [set(3), run], ALL),
    make('one makes it fewer, one runs', [3, 3], [set(1), run], ALL),
    make('both make it more', [1, 3], [set(3), set(2)], ALL),
    make('both make it fewer', [4, 4], [set(2), set(1)], ALL),
    make('one makes it more, one fewer', [2, 3], [set(3), set(1)], ALL),
    make('up and down beside one that runs', [1, 2], [set(2, 1), run], TWO),
    make('down and up beside one that runs', [2, 2], [set(1, 2), run], TWO),
    make('down and up beside two that run', [2, 2], [set(1, 2), run, run], TWO),
    make('one makes it fewer, two run', [2, 2], [set(1), run, run], TWO),
    make('one makes it more, two run', [1, 2], [set(2), run, run], TWO),
    make('two set, one runs', [2, 3], [set(1), set(3), run], TWO),
    make('two set, one runs only at once', [2, 3], [set(3), set(1), tryRun], TWO),
    make('one hands its slot on, one makes it fewer', [2, 2], [passOn, set(1)], ALL),
    make('one hands its slot on, one waits', [1, 1], [passOn, wait], ALL),
    make('one hands its slot on, one waits, one makes it more', [1, 2], [passOn, wait, set(2)], TWO),
    make(
      'death of one that hands its slot on beside one that makes it fewer',
      [2, 2],
      [passOn, set(1), bury(0)],
      TWO,
      first,
    ),
    make('death of one that makes it more', [1, 3], [set(3), run, bury(0)], TWO, first),
    make('death of one that makes it fewer', [3, 3], [set(1), run, bury(0)], TWO, first),
    make('death of one that makes it fewer beside one that sets', [3, 3], [set(1), set(2), bury(0)], TWO, first),
    make('death of one that makes it more beside one that sets', [1, 3], [set(3), set(2), bury(0)], TWO, first),
    make('death of one that sets up and down', [1, 2], [set(2, 1), run, bury(0)], ONE, first),
    make('death of one that runs beside one that makes it fewer', [2, 2], [run, set(1), bury(0)], TWO, first),
    make(
      'death of one that runs beside another, with one too many',
      [2, 2],
      [run, both(set(1), run), bury(0)],
      FEW,
      first,
    ),
    make('death of one that runs beside one that makes it more', [1, 2], [run, set(2), bury(0)], TWO, first),
    make('death of two that set', [2, 3], [set(3), set(1), bury(0, 1)], TWO, two),
    make('death of one that sets and of one that runs', [2, 2], [set(1), run, bury(0, 1)], FEW, two),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'limit', entry: new URL('entry.ts', import.meta.url), cases: limitCases, mutants: MUTANTS },
];
