// Cases of the slots of a limit: agents set the number of slots while functions begin and end.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { recoverOnce } from '../../../core/test/model/death-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { claimsOn, LimitWorld, type LimitBody, type LimitCore, type Plan } from './limit-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
/** One preemption more in the soak, which costs minutes. */
const FEW: Options = { preemptions: soakSize(1, 2) };

/** Sets the number of slots that should exist, several times. */
const set =
  (...sizes: readonly number[]): LimitBody =>
  ({ slots }) => {
    for (const size of sizes) slots.resize(size);
  };

/** Waits for a slot as a call does, and runs a function in it. */
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
  // In these cases a surplus and a waiter each begin at most once. If they exist before and after, they existed in
  // between.
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

/** Recovers the dead agents. Then runs a function, which repairs the number of slots that they left. */
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
    make('one agent raises the number while another runs a function', [1, 3], [set(3), run], ALL),
    make('one agent lowers the number while another runs a function', [3, 3], [set(1), run], ALL),
    make('both agents raise the number', [1, 3], [set(3), set(2)], ALL),
    make('both agents lower the number', [4, 4], [set(2), set(1)], ALL),
    make('one agent raises the number, another lowers it', [2, 3], [set(3), set(1)], ALL),
    make('one agent raises and lowers the number while another runs a function', [1, 2], [set(2, 1), run], TWO),
    make('one agent lowers and raises the number while another runs a function', [2, 2], [set(1, 2), run], TWO),
    make('one agent lowers and raises the number while two run functions', [2, 2], [set(1, 2), run, run], TWO),
    make('one agent lowers the number while two run functions', [2, 2], [set(1), run, run], TWO),
    make('one agent raises the number while two run functions', [1, 2], [set(2), run, run], TWO),
    make('two agents set the number while a third runs a function', [2, 3], [set(1), set(3), run], TWO),
    make('two agents set the number while a third runs a function only at once', [2, 3], [set(3), set(1), tryRun], TWO),
    make('one agent hands its slot on while another lowers the number', [2, 2], [passOn, set(1)], ALL),
    make('one agent hands its slot on while another waits', [1, 1], [passOn, wait], ALL),
    make('one agent hands its slot on, one waits, one raises the number', [1, 2], [passOn, wait, set(2)], TWO),
    make(
      'death of an agent that hands its slot on while another lowers the number',
      [2, 2],
      [passOn, set(1), bury(0)],
      TWO,
      first,
    ),
    make('death of an agent that raises the number', [1, 3], [set(3), run, bury(0)], TWO, first),
    make('death of an agent that lowers the number', [3, 3], [set(1), run, bury(0)], TWO, first),
    make(
      'death of an agent that lowers the number while another sets it',
      [3, 3],
      [set(1), set(2), bury(0)],
      TWO,
      first,
    ),
    make(
      'death of an agent that raises the number while another sets it',
      [1, 3],
      [set(3), set(2), bury(0)],
      TWO,
      first,
    ),
    make('death of an agent that raises and lowers the number', [1, 2], [set(2, 1), run, bury(0)], ONE, first),
    make(
      'death of an agent that runs a function while another lowers the number',
      [2, 2],
      [run, set(1), bury(0)],
      TWO,
      first,
    ),
    make(
      'death of an agent that runs a function while another lowers the number and runs one',
      [2, 2],
      [run, both(set(1), run), bury(0)],
      FEW,
      first,
    ),
    make(
      'death of an agent that runs a function while another raises the number',
      [1, 2],
      [run, set(2), bury(0)],
      TWO,
      first,
    ),
    make('death of two agents that set the number', [2, 3], [set(3), set(1), bury(0, 1)], TWO, two),
    make(
      'death of an agent that sets the number, and of one that runs a function',
      [2, 2],
      [set(1), run, bury(0, 1)],
      FEW,
      two,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'limit', entry: new URL('entry.ts', import.meta.url), cases: limitCases, mutants: MUTANTS },
];
