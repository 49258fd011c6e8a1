// The scenarios that a priority semaphore has to survive.

import { STUCK, type Options, type Words } from '@sluice/model';
import type { Someone } from '../../../address-wait/test/model/condition-world.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { LEVEL_WAITERS } from '../../src/kernel/layout.ts';
import { behind } from './composite-accounts.ts';
import { afterTickets, both, closed, onlyStuck, orClosed, orFull, recovering, type Body } from './composite-bodies.ts';
import { CompositeWorld, type CompositeCore, type CompositePlan, type Stand } from './composite-world.ts';
import { LEVEL_MUTANTS } from './level-mutants.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: 0 };

const [LOW, HIGH] = [0, 7];

interface Permits {
  acquire(permits?: number, priority?: number): void;
  tryAcquire(permits?: number, timeoutMs?: number, priority?: number): boolean;
  release(permits?: number): void;
  close(): void;
  drain(): number;
}

const policy = { longTermThreshold: 1, spinMicros: 0, buckets: 1 };
const at = ({ core, place }: Someone<CompositeCore>): Permits =>
  Reflect.construct(core.PrioritySemaphore, [{ place, policy }]) as Permits;

const pass =
  (priority: number): Body =>
  (agent) => {
    const own = at(agent);
    own.acquire(1, priority);
    own.release();
  };
const tryPass =
  (priority: number): Body =>
  (agent) => {
    const own = at(agent);
    if (own.tryAcquire(1, 1, priority)) own.release();
  };
const take =
  (priority: number): Body =>
  (agent) =>
    at(agent).acquire(1, priority);
const give =
  (permits = 1): Body =>
  (agent) =>
    at(agent).release(permits);
const close: Body = (agent) => at(agent).close();
const glance: Body = (agent) => {
  const own = at(agent);
  if (own.tryAcquire()) own.release();
};
const drain: Body = (agent) => {
  const own = at(agent);
  const taken = own.drain();
  if (taken > 0) own.release(taken);
};
const collect =
  (permits: number): Body =>
  (agent) => {
    const own = at(agent);
    for (let taken = 0; taken < permits; taken++) own.acquire();
    own.release(permits);
  };

/** Comes when each of these levels has a waiter without a permit, or as many as it is named times. */
const afterWaiters =
  (levels: readonly number[], body: Body): Body =>
  (agent) => {
    const { words } = agent.ctx;
    for (const level of levels) {
      const least = levels.filter((other) => other === level).length;
      agent.ctx.until(() => words.load32(behind(level) + LEVEL_WAITERS) >= least);
    }
    return body(agent);
  };

/** These agents still wait, and no others. */
const allStuck =
  (...agents: readonly number[]) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined => {
    const found = [...outcomes.keys()].filter((index) => outcomes[index] === STUCK);
    return String(found) === String(agents) ? undefined : `agents ${String(found)} wait, and not ${String(agents)}`;
  };

/** That agent got its permit. */
const notStuck =
  (agent: number) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined =>
    outcomes[agent] === STUCK ? `agent ${agent} waits` : undefined;

type Make = (what: string, stand: Omit<Stand, 'scheme'>, plan: Omit<CompositePlan, 'name'>, closes?: boolean) => Case;

export function levelCases(core: CompositeCore): Case[] {
  const make: Make = (what, stand, plan, closes) =>
    new CompositeWorld(core, { ageing: 16, ...stand, scheme: 0 }).composite(
      { ...plan, name: `priority: ${what}` },
      closes,
    );
  return [...ofTwo(make), ...order(make), ...ofSeveral(make), ...deaths(make)];
}

function ofTwo(make: Make): Case[] {
  const one = { permits: 1, agents: 2 };
  const none = { permits: 0, agents: 2, most: 1 };
  return [
    make('one permit, two agents of two levels', one, { bodies: [pass(LOW), pass(HIGH)], options: ALL }),
    make('one permit, two agents of one level', one, { bodies: [pass(3), pass(3)], options: ALL }),
    make('one agent comes twice', one, { bodies: [both(pass(LOW), pass(HIGH)), pass(4)], options: TWO }),
    make('one of two may give up', one, { bodies: [pass(LOW), tryPass(HIGH)], options: ALL }),
    make('both may give up', one, { bodies: [tryPass(LOW), tryPass(HIGH)], options: ALL }),
    make('one comes twice, and may give up', one, {
      bodies: [both(tryPass(LOW), tryPass(HIGH)), pass(LOW)],
      options: TWO,
    }),
    make('a look without waiting', one, { bodies: [pass(HIGH), both(glance, glance)], options: ALL }),
    make('a release by another agent', none, { bodies: [take(2), give()], options: ALL, ends: 0 }),
    make(
      'a release by another agent, of two',
      { ...none, most: 2 },
      { bodies: [take(2), give(2)], options: ALL, ends: 1 },
    ),
    make('a release against a waiter that may give up', none, { bodies: [tryPass(5), give()], options: ALL, ends: 1 }),
    make('drain against a waiter', one, { bodies: [pass(LOW), drain], options: ALL }),
    make(
      'close against a waiter',
      none,
      { bodies: [orClosed(take(HIGH)), close], options: ALL, final: closed(0), ends: null },
      true,
    ),
    make(
      'a release and a close against a waiter',
      none,
      { bodies: [orClosed(take(1)), both(give(), close)], options: ALL, ends: null },
      true,
    ),
    make(
      'close against a waiter that may give up',
      none,
      { bodies: [orClosed(tryPass(1)), close], options: ALL, ends: null },
      true,
    ),
    make('a bound of one', { ...one, max: 1 }, { bodies: [pass(LOW), pass(HIGH)], options: ALL }),
    make(
      'two releases, and a bound',
      { ...none, max: 1 },
      { bodies: [orFull(give()), orFull(give())], options: ALL, ends: 1 },
    ),
  ];
}

/** One agent of those that wait gets nothing. */
function order(make: Make): Case[] {
  const none = { permits: 0, agents: 3, most: 2 };
  const low = { ends: null, stuck: onlyStuck(0) };
  return [
    make('the higher level comes first', none, {
      bodies: [take(LOW), take(HIGH), afterWaiters([LOW, HIGH], give())],
      options: TWO,
      ...low,
    }),
    make('neighbouring levels', none, {
      bodies: [take(3), take(4), afterWaiters([3, 4], give())],
      options: ONE,
      ...low,
    }),
    make('first come, first served within a level', none, {
      bodies: [afterTickets(1, 2, take(2)), take(2), afterTickets(2, 2, give())],
      options: ONE,
      ...low,
    }),
    // The level below has been passed over once, and weighs as much: it comes next.
    make(
      'a level ages',
      { ...none, ageing: 1 },
      {
        bodies: [take(2), both(take(3), take(3)), both(afterWaiters([2, 3], give()), afterWaiters([2, 3], give()))],
        options: NONE,
        ends: null,
        stuck: onlyStuck(1),
      },
    ),
    // It has been passed over once, and weighs one less than the level two above.
    make(
      'a level ages by one at a time',
      { ...none, ageing: 1 },
      {
        bodies: [take(2), both(take(4), take(4)), both(afterWaiters([2, 4], give()), afterWaiters([2, 4], give()))],
        options: NONE,
        ...low,
      },
    ),
    // The lower level comes third, and is young then: the fifth permit is not for it.
    make(
      'a level that was served is young',
      { ...none, ageing: 2, most: 5 },
      {
        bodies: [
          both(take(2), take(2)),
          (agent) => [1, 2, 3, 4, 5].forEach(() => take(3)(agent)),
          (agent) => [1, 2, 3, 4, 5].forEach(() => afterWaiters([2, 3], give())(agent)),
        ],
        options: NONE,
        ends: null,
        stuck: allStuck(0, 1),
      },
    ),
  ];
}

function ofSeveral(make: Make): Case[] {
  const three = { permits: 1, agents: 3 };
  const none = { permits: 0, agents: 3, most: 2 };
  return [
    make('two wait, and a release of two', none, { bodies: [take(LOW), take(HIGH), give(2)], options: TWO, ends: 0 }),
    make('two wait in one level, and a release of two', none, {
      bodies: [take(6), take(6), give(2)],
      options: TWO,
      ends: 0,
    }),
    make('two may give up, and a release of two', none, {
      bodies: [tryPass(LOW), tryPass(HIGH), give(2)],
      options: ONE,
      ends: 2,
    }),
    make('two wait, and one of them gives up', none, {
      bodies: [take(LOW), tryPass(HIGH), give(2)],
      options: TWO,
      ends: 1,
    }),
    make(
      'two wait, and the higher one gives up',
      { ...none, most: 1 },
      { bodies: [take(LOW), tryPass(HIGH), give()], options: TWO, ends: 0 },
    ),
    make(
      'two wait, and the lower one gives up',
      { ...none, most: 1 },
      { bodies: [tryPass(LOW), take(HIGH), give()], options: TWO, ends: 0 },
    ),
    make(
      'two wait in one level, and one of them gives up',
      { ...none, most: 1 },
      { bodies: [tryPass(4), take(4), give()], options: TWO, ends: 0 },
    ),
    make(
      'the permit of one that gave up, and another that comes',
      { ...none, most: 1 },
      { bodies: [tryPass(LOW), give(), pass(HIGH)], options: TWO, ends: 1 },
    ),
    // There is one permit, so the second call of the third agent waits for ever.
    make(
      'the permit of one that gave up, and another that comes twice',
      { ...none, most: 1 },
      { bodies: [tryPass(LOW), give(), both(take(HIGH), take(LOW))], options: TWO, ends: null, stuck: allStuck(2) },
    ),
    make(
      'the head of a level gives up',
      { ...none, agents: 4 },
      { bodies: [tryPass(4), take(4), take(LOW), give(2)], options: NONE, ends: 0 },
    ),
    make('two releases at once', none, {
      bodies: [both(take(LOW), take(HIGH)), give(), give()],
      options: TWO,
      ends: 0,
    }),
    make(
      'two releases at once, and the second is for a level that has aged',
      { ...none, agents: 5, ageing: 1 },
      {
        bodies: [
          take(2),
          take(3),
          take(3),
          afterTickets(1, 2, afterTickets(2, 3, give())),
          afterTickets(1, 2, afterTickets(2, 3, give())),
        ],
        options: ONE,
        ends: null,
        stuck: notStuck(0),
      },
    ),
    make(
      'two wait, and two releases at once',
      { ...none, agents: 4 },
      { bodies: [take(LOW), take(HIGH), give(), give()], options: ONE, ends: 0 },
    ),
    make('three agents', three, { bodies: [pass(LOW), pass(3), pass(HIGH)], options: TWO }),
    make('three agents, all may give up', three, { bodies: [tryPass(LOW), tryPass(3), tryPass(HIGH)], options: ONE }),
    make('two buckets', { ...three, buckets: 2 }, { bodies: [pass(LOW), tryPass(HIGH), pass(HIGH)], options: ONE }),
    make('no release, and two give up', none, {
      bodies: [take(LOW), tryPass(LOW), tryPass(HIGH)],
      options: NONE,
      ends: null,
      stuck: onlyStuck(0),
    }),
    make(
      'close against two waiters',
      none,
      { bodies: [orClosed(take(LOW)), orClosed(tryPass(HIGH)), close], options: ONE, ends: null, final: closed(0) },
      true,
    ),
  ];
}

function deaths(make: Make): Case[] {
  const none = { permits: 0, agents: 3, most: 1 };
  return [
    make(
      'death of one of two',
      { permits: 1, agents: 3 },
      { bodies: [pass(LOW), pass(HIGH), recovering(0)], mayCrash: [0], options: TWO },
    ),
    make(
      'death of the higher one of two',
      { permits: 1, agents: 3 },
      { bodies: [pass(HIGH), pass(LOW), recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of one of two, each may give up',
      { permits: 1, agents: 3 },
      { bodies: [tryPass(HIGH), pass(LOW), recovering(0)], mayCrash: [0], options: TWO },
    ),
    make(
      'death of one of three, each may give up',
      { permits: 1, agents: 4 },
      { bodies: [tryPass(5), pass(LOW), pass(HIGH), recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of the agent that releases several',
      { permits: 2, agents: 4 },
      { bodies: [collect(2), pass(LOW), pass(HIGH), recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of the agent that releases',
      { ...none, agents: 4, most: 2 },
      {
        bodies: [give(), take(LOW), both(recovering(0), give()), tryPass(HIGH)],
        mayCrash: [0],
        options: NONE,
        ends: null,
      },
    ),
    make(
      'death of one that closes',
      none,
      {
        bodies: [close, orClosed(take(HIGH)), both(recovering(0), close)],
        mayCrash: [0],
        options: ONE,
        final: closed(1),
        ends: null,
      },
      true,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'priority', entry: new URL('entry.ts', import.meta.url), cases: levelCases, mutants: LEVEL_MUTANTS },
];
