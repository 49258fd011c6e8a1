// Cases of a lightweight semaphore, over several inner semaphores.

import type { Options } from '@sluice/model';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { FLAG_CHAINED, FLAG_GLOBAL, FLAG_MONITORED, FLAG_TOKENS } from '../../../src/semaphores/kernel/layout.ts';
import {
  afterTickets,
  both,
  closed,
  onlyStuck,
  orClosed,
  orFull,
  recovering,
} from '../../../../semaphores/test/model/bodies.ts';
import { Bodies } from './composite-bodies.ts';
import { CompositeWorld, type CompositeCore, type CompositePlan, type Stand } from './composite-world.ts';
import { BOX_MUTANTS } from './composite-mutants.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: 0 };

interface Inner {
  readonly name: string;
  readonly scheme: number;
  /** Only cases of two agents. */
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
    make('one permit, one agent acquires twice', one, {
      bodies: [both(pass, pass), pass],
      options: scheme === FLAG_TOKENS ? ALL : TWO,
    }),
    make('one of two agents may time out', one, { bodies: [pass, tryPass], options: ALL }),
    make('both agents may time out', one, { bodies: [tryPass, tryPass], options: ALL }),
    make('non-blocking calls', one, { bodies: [pass, both(glance, glance)], options: ALL }),
    make('another agent releases one permit', none, { bodies: [take, give()], options: ALL, ends: 0 }),
    make(
      'another agent releases two permits',
      { ...none, most: 2 },
      { bodies: [take, give(2)], options: ALL, ends: 1 },
    ),
    make(
      'two calls of waitMany() race',
      { permits: 2, agents: 2 },
      { bodies: [passMany(2), passMany(2)], options: ALL },
    ),
    make('drain() races a waiter', one, { bodies: [pass, drain], options: ALL }),
    make(
      'close() races a waiter',
      none,
      { bodies: [orClosed(take), close], options: ALL, final: closed(0), ends: null },
      true,
    ),
    make(
      'a release and close() race a waiter',
      none,
      { bodies: [orClosed(take), both(give(), close)], options: ALL, ends: null },
      true,
    ),
    make(
      'close() races a waiter that may time out',
      none,
      { bodies: [orClosed(tryPass), close], options: ALL, ends: null },
      true,
    ),
    make('a bound of one', { ...one, max: 1 }, { bodies: [pass, pass], options: ALL }),
    make('one agent acquires twice, and may time out', one, { bodies: [both(tryPass, tryPass), pass], options: TWO }),
    make(
      'two releases at a bound',
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
    make('two agents wait for a release of two permits', none, {
      bodies: [take, take, give(2)],
      options: TWO,
      ends: 0,
    }),
    make('two agents that may time out, and a release of two permits', none, {
      bodies: [tryPass, tryPass, give(2)],
      options: ONE,
      ends: 2,
    }),
    make('one of two waiters cancels', none, {
      bodies: [take, tryPass, give(2)],
      options: scheme === 0 ? TWO : ONE,
      ends: 1,
    }),
    make('three agents', three, { bodies: [pass, pass, pass], options: TWO }),
    make('three agents, all of which may time out', three, { bodies: [tryPass, tryPass, tryPass], options: ONE }),
    make('two buckets', { ...three, buckets: 2 }, { bodies: [pass, tryPass, pass], options: ONE }),
    make(
      'the second of three waiters cancels',
      { permits: 0, agents: 4, most: 2 },
      { bodies: [take, tryPass, take, giveEach(2)], options: NONE, ends: 0 },
    ),
    make('two waiters cancel without a release', none, {
      bodies: [take, tryPass, tryPass],
      options: scheme === FLAG_CHAINED ? ONE : NONE,
      ends: null,
      stuck: onlyStuck(0),
    }),
    make(
      'close() races two waiters',
      none,
      { bodies: [orClosed(take), orClosed(tryPass), close], options: ONE, ends: null, final: closed(0) },
      true,
    ),
    // One release, for the first of two waiters.
    ...(fair
      ? [
          make('waiters are served in FIFO order', none, {
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
      'death of one of two agents',
      { permits: 1, agents: 3 },
      { bodies: [pass, pass, recovering(0)], mayCrash: [0], options: TWO },
    ),
    make(
      'death of one of two agents that may time out',
      { permits: 1, agents: 3 },
      { bodies: [tryPass, pass, recovering(0)], mayCrash: [0], options: TWO },
    ),
    make(
      'death of one of three agents that may time out',
      { permits: 1, agents: 4 },
      { bodies: [tryPass, pass, pass, recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of an agent that releases several permits',
      { permits: 2, agents: 4 },
      { bodies: [collect(2), pass, pass, recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of an agent that holds several permits',
      { permits: 2, agents: 3 },
      { bodies: [passMany(2), pass, recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of an agent that closes',
      none,
      { bodies: [close, orClosed(take), closeAfter], mayCrash: [0], options: ONE, final: closed(1), ends: null },
      true,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'lightweight', entry: new URL('entry.ts', import.meta.url), cases: lightweightCases, mutants: BOX_MUTANTS },
];
