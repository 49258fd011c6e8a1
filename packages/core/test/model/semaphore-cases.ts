// Scenarios for the semaphore. They are small: each is explored completely, or completely within a bound on
// preemptions.

import type { Options } from '@sluice/model';
import { give, glance, orFails, pass, passOrAbort, take, tryPass } from './bodies.ts';
import type { Case, Model } from './case.ts';
import { World, type Body, type Core, type Setup } from './world.ts';
import { SEMAPHORE_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const TWO_PREEMPTIONS: Options = { preemptions: 2 };

/** Values just below the limits of 32-bit, double and 64-bit counters. */
const WRAPS = [2n ** 31n - 1n, 2n ** 32n - 1n, 2n ** 53n - 1n, 2n ** 63n - 1n];

export function semaphoreCases(core: Core): Case[] {
  const make = (name: string, setup: Setup, bodies: readonly Body[], options: Options, ends = setup.permits): Case => ({
    scenario: new World(core, setup).scenario(name, bodies, ends),
    options,
  });
  const one = { permits: [1], agents: 2 };
  const two = { permits: [2], agents: 2 };
  const three = { permits: [1], agents: 3 };
  const orFull = (body: Body): Body => orFails('SLUICE_ARENA_FULL', body);
  return [
    make('one permit, two agents', one, [pass(1, 2), pass()], ALL),
    make('one permit, one of two agents may time out', one, [pass(), tryPass(1, 2)], ALL),
    make('one permit, both agents may time out', one, [tryPass(), tryPass()], ALL),
    make('two permits, one agent wants both', two, [pass(2), pass()], ALL),
    make('two permits, the waiter for both may time out', two, [tryPass(2), pass()], ALL),
    make('another agent releases', { ...one, permits: [0], most: 1 }, [take(), give()], ALL, [0]),
    make('a bounded semaphore', { ...one, max: 1 }, [pass(1, 2), pass()], ALL),
    make('an agent tries without waiting', one, [pass(1, 2), glance], ALL),
    make('an abort during a grant', one, [pass(), passOrAbort()], ALL),
    ...WRAPS.map((start) => make(`counters from ${start}`, { ...one, start }, [pass(1, 2), tryPass()], ALL)),
    make('three agents', three, [pass(), pass(), pass()], TWO_PREEMPTIONS),
    make('three agents, all may time out', three, [tryPass(), tryPass(), tryPass()], TWO_PREEMPTIONS),
    make('three agents, one may abort', three, [pass(), passOrAbort(), pass()], TWO_PREEMPTIONS),
    make(
      'one element for three agents',
      { ...three, elements: 1 },
      [orFull(pass()), orFull(pass()), orFull(pass())],
      TWO_PREEMPTIONS,
    ),
    make(
      'no element for any agent',
      { ...three, elements: 0 },
      [orFull(pass()), orFull(tryPass()), orFull(pass())],
      TWO_PREEMPTIONS,
    ),
    make('three agents, mixed weights', { ...three, permits: [2] }, [pass(2), tryPass(2), pass()], TWO_PREEMPTIONS),
    make(
      'two semaphores in one bucket',
      { permits: [1, 1], agents: 3 },
      [pass(), tryPass(), ({ semaphores: [, other] }) => other?.run(() => undefined)],
      TWO_PREEMPTIONS,
    ),
    // An agent that keeps an element goes to sleep in one step.
    make('one permit, two agents with elements', { ...one, spares: true }, [pass(1, 2), pass()], ALL),
    make('two permits, one agent wants both, with elements', { ...two, spares: true }, [pass(2), pass()], ALL),
    make('three agents with elements', { ...three, spares: true }, [pass(), pass(), pass()], TWO_PREEMPTIONS),
    make(
      'three agents with elements, one may time out',
      { ...three, spares: true },
      [pass(), tryPass(), pass()],
      TWO_PREEMPTIONS,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'semaphore', entry: new URL('entry.ts', import.meta.url), cases: semaphoreCases, mutants: SEMAPHORE_MUTANTS },
];
