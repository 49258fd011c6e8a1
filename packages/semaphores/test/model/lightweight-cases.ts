// The scenarios that a lightweight semaphore has to survive, over several others.

import type { Options } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { FLAG_CHAINED, FLAG_GLOBAL, FLAG_MONITORED, FLAG_TOKENS } from '../../src/kernel/layout.ts';
import { afterTickets, Bodies, both, closed, onlyStuck, orClosed, orFull, recovering } from './composite-bodies.ts';
import { CompositeWorld, type CompositeCore, type CompositePlan, type Stand } from './composite-world.ts';
import { BOX_MUTANTS } from './composite-mutants.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: 0 };

interface Inner {
  readonly name: string;
  readonly scheme: number;
  /** Only what two agents do. */
  readonly few?: true;
}

const INNER: readonly Inner[] = [
  { name: 'semaphore', scheme: 0 },
  { name: 'chain', scheme: FLAG_CHAINED },
  { name: 'address', scheme: FLAG_TOKENS },
  { name: 'ticket', scheme: FLAG_GLOBAL, few: true },
  { name: 'monitor', scheme: FLAG_MONITORED, few: true },
];

const { pass, tryPass, glance, take, give, giveEach, collect, passMany, drain, close, closeAfter } = new Bodies(
  'LightweightSemaphore',
);

type Make = (what: string, stand: Omit<Stand, 'scheme'>, plan: Omit<CompositePlan, 'name'>, closes?: boolean) => Case;

export function lightweightCases(core: CompositeCore): Case[] {
  return INNER.flatMap(({ name, scheme, few }) => {
    const make: Make = (what, stand, plan, closes) =>
      new CompositeWorld(core, { ...stand, scheme }).composite(
        { ...plan, name: `lightweight over ${name}: ${what}` },
        closes,
      );
    return few === true ? ofTwo(make, scheme) : [...ofTwo(make, scheme), ...ofSeveral(make, scheme), ...deaths(make)];
  });
}

function ofTwo(make: Make, scheme: number): Case[] {
  const one = { permits: 1, agents: 2 };
  const none = { permits: 0, agents: 2, most: 1 };
  return [
    make('one permit, two agents', one, { bodies: [pass, pass], options: ALL }),
    make('one permit, one agent comes twice', one, {
      bodies: [both(pass, pass), pass],
      options: scheme === FLAG_TOKENS ? ALL : TWO,
    }),
    make('one of two may give up', one, { bodies: [pass, tryPass], options: ALL }),
    make('both may give up', one, { bodies: [tryPass, tryPass], options: ALL }),
    make('a look without waiting', one, { bodies: [pass, both(glance, glance)], options: ALL }),
    make('a release by another agent', none, { bodies: [take, give()], options: ALL, ends: 0 }),
    make(
      'a release by another agent, of two',
      { ...none, most: 2 },
      { bodies: [take, give(2)], options: ALL, ends: 1 },
    ),
    make('waitMany against waitMany', { permits: 2, agents: 2 }, { bodies: [passMany(2), passMany(2)], options: ALL }),
    make('drain against a waiter', one, { bodies: [pass, drain], options: ALL }),
    make(
      'close against a waiter',
      none,
      { bodies: [orClosed(take), close], options: ALL, final: closed(0), ends: null },
      true,
    ),
    make(
      'a release and a close against a waiter',
      none,
      { bodies: [orClosed(take), both(give(), close)], options: ALL, ends: null },
      true,
    ),
    make(
      'close against a waiter that may give up',
      none,
      { bodies: [orClosed(tryPass), close], options: ALL, ends: null },
      true,
    ),
    make('a bound of one', { ...one, max: 1 }, { bodies: [pass, pass], options: ALL }),
    make('one comes twice, and may give up', one, { bodies: [both(tryPass, tryPass), pass], options: TWO }),
    make(
      'two releases, and a bound',
      { ...none, max: 1 },
      { bodies: [orFull(give()), orFull(give())], options: ALL, ends: 1 },
    ),
    make('a release beyond the bound', { ...one, max: 1 }, { bodies: [orFull(pass), orFull(give())], options: ALL }),
  ];
}

function ofSeveral(make: Make, scheme: number): Case[] {
  const fair = scheme !== FLAG_TOKENS;
  const three = { permits: 1, agents: 3 };
  const none = { permits: 0, agents: 3, most: 2 };
  return [
    make('two wait, and a release of two', none, { bodies: [take, take, give(2)], options: TWO, ends: 0 }),
    make('two may give up, and a release of two', none, { bodies: [tryPass, tryPass, give(2)], options: ONE, ends: 2 }),
    make('two wait, and one of them gives up', none, {
      bodies: [take, tryPass, give(2)],
      options: scheme === 0 ? TWO : ONE,
      ends: 1,
    }),
    make('three agents', three, { bodies: [pass, pass, pass], options: TWO }),
    make('three agents, all may give up', three, { bodies: [tryPass, tryPass, tryPass], options: ONE }),
    make('two buckets', { ...three, buckets: 2 }, { bodies: [pass, tryPass, pass], options: ONE }),
    make(
      'one in the middle gives up',
      { permits: 0, agents: 4, most: 2 },
      { bodies: [take, tryPass, take, giveEach(2)], options: NONE, ends: 0 },
    ),
    make('no release, and two give up', none, {
      bodies: [take, tryPass, tryPass],
      options: scheme === FLAG_CHAINED ? ONE : NONE,
      ends: null,
      stuck: onlyStuck(0),
    }),
    make(
      'close against two waiters',
      none,
      { bodies: [orClosed(take), orClosed(tryPass), close], options: ONE, ends: null, final: closed(0) },
      true,
    ),
    // One release, for the first of two.
    ...(fair
      ? [
          make('first come, first served', none, {
            bodies: [take, afterTickets(1, 0, take), afterTickets(2, 0, give())],
            options: TWO,
            ends: null,
            stuck: onlyStuck(1),
          }),
        ]
      : []),
  ];
}

function deaths(make: Make): Case[] {
  const none = { permits: 0, agents: 3, most: 1 };
  return [
    make(
      'death of one of two',
      { permits: 1, agents: 3 },
      { bodies: [pass, pass, recovering(0)], mayCrash: [0], options: TWO },
    ),
    make(
      'death of one of two, each may give up',
      { permits: 1, agents: 3 },
      { bodies: [tryPass, pass, recovering(0)], mayCrash: [0], options: TWO },
    ),
    make(
      'death of one of three, each may give up',
      { permits: 1, agents: 4 },
      { bodies: [tryPass, pass, pass, recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of the agent that releases several',
      { permits: 2, agents: 4 },
      { bodies: [collect(2), pass, pass, recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of the holder of several',
      { permits: 2, agents: 3 },
      { bodies: [passMany(2), pass, recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of one that closes',
      none,
      { bodies: [close, orClosed(take), closeAfter], mayCrash: [0], options: ONE, final: closed(1), ends: null },
      true,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'lightweight', entry: new URL('entry.ts', import.meta.url), cases: lightweightCases, mutants: BOX_MUTANTS },
];
