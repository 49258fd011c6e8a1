// The scenarios that a multilane semaphore has to survive, with lanes of several kinds.

import type { Options } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { FLAG_CHAINED, FLAG_TOKENS } from '../../src/kernel/layout.ts';
import {
  afterArrivals,
  afterPosts,
  Bodies,
  both,
  closed,
  onlyStuck,
  orClosed,
  orFull,
  recovering,
} from './composite-bodies.ts';
import { CompositeWorld, type CompositeCore, type CompositePlan, type Stand } from './composite-world.ts';
import { LANE_MUTANTS } from './composite-mutants.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: 0 };

const INNER = [
  { name: 'semaphore', scheme: 0 },
  { name: 'chain', scheme: FLAG_CHAINED },
  { name: 'address', scheme: FLAG_TOKENS },
] as const;

const { pass, tryPass, glance, take, give, giveEach, collect, drain, close, closeAfter } = new Bodies(
  'MultilaneSemaphore',
);

type Make = (what: string, stand: Omit<Stand, 'scheme'>, plan: Omit<CompositePlan, 'name'>, closes?: boolean) => Case;

export function multilaneCases(core: CompositeCore): Case[] {
  const ofAll = INNER.flatMap(({ name, scheme }) => {
    const makeIn =
      (order: string, shuffled: boolean): Make =>
      (what, stand, plan, closes) =>
        new CompositeWorld(core, { lanes: 2, shuffled, ...stand, scheme }).composite(
          { ...plan, name: `multilane ${order}of ${name}: ${what}` },
          closes,
        );
    const make = makeIn('', false);
    return [
      ...ofTwo(make),
      ...ofSeveral(make, scheme),
      ...inRounds(makeIn('at random ', true)),
      ...deaths(make),
      ...drains(make),
    ];
  });
  return [...ofAll, closeAndLeave(core), drainAndLeave(core), ...returns(core)];
}

/** An agent that gave up comes back to its place, if its number still counts. */
function returns(core: CompositeCore): Case[] {
  const make: Make = (what, stand, plan) =>
    new CompositeWorld(core, { lanes: 2, ...stand, scheme: 0 }).composite({
      ...plan,
      name: `multilane of semaphore: ${what}`,
    });
  const none = { permits: 0, most: 1 };
  const again = both(tryPass, tryPass);
  return [
    make(
      'one comes back while its number is taken back',
      { ...none, agents: 2 },
      { bodies: [again, tryPass], options: TWO, ends: 0 },
    ),
    make(
      'one comes back and stays while its number is taken back',
      { ...none, agents: 3 },
      { bodies: [both(tryPass, take), tryPass, give()], options: ONE, ends: 0 },
    ),
    make(
      'one comes back while its permit comes',
      { ...none, agents: 3 },
      { bodies: [again, take, give()], options: ONE, ends: 0 },
    ),
    make('two come back', { ...none, agents: 3 }, { bodies: [again, again, give()], options: ONE, ends: 1 }),
    make(
      'death of one that comes back',
      { ...none, agents: 3 },
      { bodies: [again, take, both(recovering(0), give())], mayCrash: [0], options: NONE, ends: 0 },
    ),
  ];
}

/** One agent detaches the chain of earlier waiters, and is then told of the close. */
function closeAndLeave(core: CompositeCore): Case {
  return new CompositeWorld(core, { lanes: 2, scheme: 0, permits: 0, agents: 3, most: 1 }).composite(
    {
      name: 'multilane of semaphore: a close while one leaves and another comes',
      bodies: [orClosed(afterArrivals(1, tryPass)), orClosed(take), afterArrivals(1, close)],
      options: { preemptions: 3 },
      final: closed(1),
      ends: null,
    },
    true,
  );
}

/**
 * An arrival that has its number but not yet its ticket, and whose permit is on its way, leaves in the middle of a
 * drain.
 */
function drainAndLeave(core: CompositeCore): Case {
  return new CompositeWorld(core, { lanes: 2, scheme: 0, permits: 4, agents: 3, most: 5 }).composite({
    name: 'multilane of semaphore: a drain of all lanes while the number before its first is taken back',
    bodies: [tryPass, afterArrivals(1, give()), afterPosts(5, drain)],
    options: { preemptions: 3 },
    ends: 5,
  });
}

function ofTwo(make: Make): Case[] {
  const one = { permits: 1, agents: 2 };
  const none = { permits: 0, agents: 2, most: 1 };
  return [
    make('one permit, two agents', one, { bodies: [pass, pass], options: ALL }),
    make('one of two may give up', one, { bodies: [pass, tryPass], options: ALL }),
    make('both may give up', one, { bodies: [tryPass, tryPass], options: ALL }),
    make('a look against an arrival', one, { bodies: [pass, glance], options: ALL }),
    make('a look against a look', { permits: 2, agents: 2 }, { bodies: [glance, glance], options: ALL }),
    make('drain against a waiter', { permits: 2, agents: 2 }, { bodies: [pass, drain], options: TWO }),
    make('a release by another agent', none, { bodies: [take, give()], options: ALL, ends: 0 }),
    make(
      'a release by another agent, of three',
      { ...none, most: 3 },
      { bodies: [take, give(3)], options: ALL, ends: 2 },
    ),
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
    make('one comes twice, and may give up', one, { bodies: [both(tryPass, tryPass), pass], options: TWO }),
    make(
      'two releases, and a bound',
      { ...none, max: 1 },
      { bodies: [orFull(give()), orFull(give())], options: ALL, ends: 1 },
    ),
    make('a bound of one', { ...one, max: 1 }, { bodies: [orFull(pass), orFull(give())], options: ALL, ends: null }),
  ];
}

function ofSeveral(make: Make, scheme: number): Case[] {
  const three = { permits: 1, agents: 3 };
  const none = { permits: 0, agents: 3, most: 3 };
  const waits = { ends: null, stuck: onlyStuck(0) };
  return [
    make('two wait, and a release of two', none, { bodies: [take, take, give(2)], options: TWO, ends: 0 }),
    make('two may give up, and a release of three', none, {
      bodies: [tryPass, tryPass, give(3)],
      options: ONE,
      ends: 3,
    }),
    make('three agents', three, { bodies: [pass, pass, pass], options: TWO }),
    make('three agents, all may give up', three, { bodies: [tryPass, tryPass, tryPass], options: ONE }),
    make('a stray', none, { bodies: [tryPass, take, give()], options: ONE, ends: 0 }),
    make(
      'a stray between two',
      { ...none, agents: 4 },
      { bodies: [take, tryPass, take, giveEach(2)], options: NONE, ends: 0 },
    ),
    make('two strays', { ...none, agents: 4 }, { bodies: [tryPass, tryPass, take, give()], options: NONE, ends: 0 }),
    make(
      'a stray against a look',
      { ...none, agents: 4 },
      { bodies: [tryPass, take, give(), glance], options: NONE, ends: 0 },
    ),
    make('no release, and two give up', none, {
      bodies: [take, tryPass, tryPass],
      options: scheme === FLAG_CHAINED ? NONE : ONE,
      ...waits,
    }),
    make(
      'a stray, and a close',
      none,
      { bodies: [orClosed(tryPass), orClosed(take), close], options: ONE, ends: null, final: closed(1) },
      true,
    ),
    // One release, for the first of two.
    make('first come, first served', none, {
      bodies: [take, afterArrivals(1, take), afterArrivals(2, give())],
      options: ONE,
      ends: null,
      stuck: onlyStuck(1),
    }),
  ];
}

/** The second round begins with the other lane. */
function inRounds(make: Make): Case[] {
  const one = { permits: 1, agents: 2, start: 1n };
  return [
    make('one permit, two agents', one, { bodies: [both(pass, pass), pass], options: TWO }),
    make('one may give up', one, { bodies: [both(tryPass, tryPass), pass], options: TWO }),
    make(
      'a release of two',
      { ...one, permits: 0, most: 2 },
      { bodies: [both(take, take), give(2)], options: ALL, ends: 0 },
    ),
    make('numbers that wrap', { ...one, start: 2n ** 32n - 1n }, { bodies: [pass, pass], options: ALL }),
    make('a drain of all lanes against an arrival', { ...one, permits: 3 }, { bodies: [pass, drain], options: TWO }),
    make(
      'a drain of numbers that wrap',
      { ...one, permits: 3, start: 2n ** 32n - 2n },
      { bodies: [pass, drain], options: ONE },
    ),
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
      { bodies: [tryPass, pass, recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of one of three, each may give up',
      { permits: 1, agents: 4 },
      { bodies: [tryPass, pass, pass, recovering(0)], mayCrash: [0], options: NONE },
    ),
    make('death of a stray', none, {
      bodies: [tryPass, take, both(recovering(0), give())],
      mayCrash: [0],
      options: NONE,
      ends: 0,
    }),
    make(
      'death of the agent that posts three',
      { permits: 3, agents: 4 },
      { bodies: [collect(3), pass, pass, recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of one that closes',
      none,
      { bodies: [close, orClosed(take), closeAfter], mayCrash: [0], options: ONE, final: closed(1), ends: null },
      true,
    ),
  ];
}

/** More permits than lanes: the drain takes them lane by lane. */
function drains(make: Make): Case[] {
  const three = { permits: 3, agents: 2 };
  const five = { permits: 5, agents: 2 };
  return [
    make('a drain of all lanes against an arrival', three, { bodies: [pass, drain], options: TWO }),
    make('a drain of all lanes, and one may give up', three, { bodies: [tryPass, drain], options: TWO }),
    make('a drain of all lanes against a look', three, { bodies: [glance, drain], options: TWO }),
    make('a drain of all lanes against three arrivals', three, { bodies: [collect(3), drain], options: TWO }),
    make(
      'a drain of all lanes while others take all and one more waits',
      { permits: 3, agents: 3 },
      { bodies: [drain, both(take, both(take, take)), afterArrivals(3, tryPass)], options: ONE, ends: 0 },
    ),
    make('two drains of all lanes', five, { bodies: [drain, drain], options: TWO }),
    make(
      'a drain of all lanes against a release of three',
      { ...three, permits: 0, most: 3 },
      { bodies: [drain, give(3)], options: TWO, ends: 3 },
    ),
    make(
      'a drain of all lanes while as many come as it would take, and one more',
      { ...three, most: 7 },
      { bodies: [drain, both(give(4), collect(4))], options: TWO, ends: 7 },
    ),
    make(
      'a drain of all lanes against a close',
      three,
      { bodies: [orClosed(drain), close], options: TWO, ends: null },
      true,
    ),
    make(
      'death of one that drains all lanes',
      { permits: 3, agents: 3 },
      { bodies: [drain, pass, recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of one that drains all lanes, and one may give up',
      { permits: 3, agents: 3 },
      { bodies: [drain, tryPass, recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of one that drains all lanes, without another',
      { permits: 5, agents: 2 },
      { bodies: [drain, recovering(0)], mayCrash: [0], options: TWO },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'multilane', entry: new URL('entry.ts', import.meta.url), cases: multilaneCases, mutants: LANE_MUTANTS },
];
