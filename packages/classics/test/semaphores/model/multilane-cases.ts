// Cases of a multilane semaphore, with lanes of several kinds.

import type { Options } from '@sluice/model';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { FLAG_CHAINED, FLAG_TOKENS } from '../../../src/semaphores/kernel/layout.ts';
import { both, closed, onlyStuck, orClosed, orFull, recovering } from '../../../../semaphores/test/model/bodies.ts';
import { afterArrivals, afterPosts, Bodies } from './composite-bodies.ts';
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

/** A cancelled agent comes back to its place, if its number is still in use. */
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
      'a cancelled agent comes back while its number is taken back',
      { ...none, agents: 2 },
      { bodies: [again, tryPass], options: TWO, ends: 0 },
    ),
    make(
      'a cancelled agent comes back and waits while its number is taken back',
      { ...none, agents: 3 },
      { bodies: [both(tryPass, take), tryPass, give()], options: ONE, ends: 0 },
    ),
    make(
      'a cancelled agent comes back while its permit comes',
      { ...none, agents: 3 },
      { bodies: [again, take, give()], options: ONE, ends: 0 },
    ),
    make(
      'two cancelled agents come back',
      { ...none, agents: 3 },
      { bodies: [again, again, give()], options: ONE, ends: 1 },
    ),
    make(
      'death of a cancelled agent that comes back',
      { ...none, agents: 3 },
      { bodies: [again, take, both(recovering(0), give())], mayCrash: [0], options: NONE, ends: 0 },
    ),
  ];
}

/** One agent detaches the chain of earlier waiters, and then sees the close. */
function closeAndLeave(core: CompositeCore): Case {
  return new CompositeWorld(core, { lanes: 2, scheme: 0, permits: 0, agents: 3, most: 1 }).composite(
    {
      name: 'multilane of semaphore: close() while one waiter cancels and another arrives',
      bodies: [orClosed(afterArrivals(1, tryPass)), orClosed(take), afterArrivals(1, close)],
      options: { preemptions: 3 },
      final: closed(1),
      ends: null,
    },
    true,
  );
}

/**
 * An arrival has its number but not its ticket yet, and its permit is on its way. It cancels in the middle of a drain.
 */
function drainAndLeave(core: CompositeCore): Case {
  return new CompositeWorld(core, { lanes: 2, scheme: 0, permits: 4, agents: 3, most: 5 }).composite({
    name: 'multilane of semaphore: drain() of all lanes while the number before its first is taken back',
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
    make('one of two agents may time out', one, { bodies: [pass, tryPass], options: ALL }),
    make('both agents may time out', one, { bodies: [tryPass, tryPass], options: ALL }),
    make('a non-blocking arrival races an arrival', one, { bodies: [pass, glance], options: ALL }),
    make('two non-blocking arrivals race', { permits: 2, agents: 2 }, { bodies: [glance, glance], options: ALL }),
    make('drain() races a waiter', { permits: 2, agents: 2 }, { bodies: [pass, drain], options: TWO }),
    make('another agent releases one permit', none, { bodies: [take, give()], options: ALL, ends: 0 }),
    make(
      'another agent releases three permits',
      { ...none, most: 3 },
      { bodies: [take, give(3)], options: ALL, ends: 2 },
    ),
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
    make('one agent acquires twice, and may time out', one, { bodies: [both(tryPass, tryPass), pass], options: TWO }),
    make(
      'two releases at a bound',
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
    make('two agents wait for a release of two permits', none, {
      bodies: [take, take, give(2)],
      options: TWO,
      ends: 0,
    }),
    make('two agents that may time out, and a release of three permits', none, {
      bodies: [tryPass, tryPass, give(3)],
      options: ONE,
      ends: 3,
    }),
    make('three agents', three, { bodies: [pass, pass, pass], options: TWO }),
    make('three agents, all of which may time out', three, { bodies: [tryPass, tryPass, tryPass], options: ONE }),
    make('a stray', none, { bodies: [tryPass, take, give()], options: ONE, ends: 0 }),
    make(
      'a stray between two waiters',
      { ...none, agents: 4 },
      { bodies: [take, tryPass, take, giveEach(2)], options: NONE, ends: 0 },
    ),
    make('two strays', { ...none, agents: 4 }, { bodies: [tryPass, tryPass, take, give()], options: NONE, ends: 0 }),
    make(
      'a stray, and a non-blocking arrival',
      { ...none, agents: 4 },
      { bodies: [tryPass, take, give(), glance], options: NONE, ends: 0 },
    ),
    make('two waiters cancel without a release', none, {
      bodies: [take, tryPass, tryPass],
      options: scheme === FLAG_CHAINED ? NONE : ONE,
      ...waits,
    }),
    make(
      'a stray, and close()',
      none,
      { bodies: [orClosed(tryPass), orClosed(take), close], options: ONE, ends: null, final: closed(1) },
      true,
    ),
    // One release, for the first of two waiters.
    make('waiters are served in FIFO order', none, {
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
    make('one agent may time out', one, { bodies: [both(tryPass, tryPass), pass], options: TWO }),
    make(
      'a release of two permits',
      { ...one, permits: 0, most: 2 },
      { bodies: [both(take, take), give(2)], options: ALL, ends: 0 },
    ),
    make('numbers that wrap', { ...one, start: 2n ** 32n - 1n }, { bodies: [pass, pass], options: ALL }),
    make('drain() of all lanes races an arrival', { ...one, permits: 3 }, { bodies: [pass, drain], options: TWO }),
    make(
      'drain() of numbers that wrap',
      { ...one, permits: 3, start: 2n ** 32n - 2n },
      { bodies: [pass, drain], options: ONE },
    ),
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
      { bodies: [tryPass, pass, recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of one of three agents that may time out',
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
      'death of an agent that releases three permits',
      { permits: 3, agents: 4 },
      { bodies: [collect(3), pass, pass, recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of an agent that closes',
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
    make('drain() of all lanes races an arrival', three, { bodies: [pass, drain], options: TWO }),
    make('drain() of all lanes while another agent may time out', three, { bodies: [tryPass, drain], options: TWO }),
    make('drain() of all lanes races a non-blocking arrival', three, { bodies: [glance, drain], options: TWO }),
    make('drain() of all lanes races three arrivals', three, { bodies: [collect(3), drain], options: TWO }),
    make(
      'drain() of all lanes while others take all permits and one more agent waits',
      { permits: 3, agents: 3 },
      { bodies: [drain, both(take, both(take, take)), afterArrivals(3, tryPass)], options: ONE, ends: 0 },
    ),
    make('two calls of drain() of all lanes', five, { bodies: [drain, drain], options: TWO }),
    make(
      'drain() of all lanes races a release of three permits',
      { ...three, permits: 0, most: 3 },
      { bodies: [drain, give(3)], options: TWO, ends: 3 },
    ),
    make(
      'drain() of all lanes while one agent more arrives than it would take permits',
      { ...three, most: 7 },
      { bodies: [drain, both(give(4), collect(4))], options: TWO, ends: 7 },
    ),
    make(
      'drain() of all lanes races close()',
      three,
      { bodies: [orClosed(drain), close], options: TWO, ends: null },
      true,
    ),
    make(
      'death of an agent that drains all lanes',
      { permits: 3, agents: 3 },
      { bodies: [drain, pass, recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of an agent that drains all lanes while another may time out',
      { permits: 3, agents: 3 },
      { bodies: [drain, tryPass, recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of the only agent, which drains all lanes',
      { permits: 5, agents: 2 },
      { bodies: [drain, recovering(0)], mayCrash: [0], options: TWO },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'multilane', entry: new URL('entry.ts', import.meta.url), cases: multilaneCases, mutants: LANE_MUTANTS },
];
