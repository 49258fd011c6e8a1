// Scenarios of a priority semaphore.

import { STUCK, type Options, type Words } from '@sluice/model';
import type { Someone } from '../../../core/test/model/condition-world.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { LEVEL_WAITERS } from '../../src/kernel/layout.ts';
import { afterTickets, both, closed, onlyStuck, orClosed, orFull, recovering, type Body as BodyOf } from './bodies.ts';
import { behind } from './front-accounts.ts';
import { LEVEL_MUTANTS } from './level-mutants.ts';
import { LevelWorld, type LevelCore, type LevelPlan, type Stand } from './level-world.ts';

type Body = BodyOf<LevelCore>;

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
const at = ({ core, ref }: Someone<LevelCore>): Permits =>
  Reflect.construct(core.PrioritySemaphore, [{ ref, policy }]) as Permits;

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

/**
 * Arrives when each of these levels has a waiter without a permit. A level may be named several times, for several
 * waiters.
 */
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

/** Checks that exactly these agents still wait. */
const allStuck =
  (...agents: readonly number[]) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined => {
    const found = [...outcomes.keys()].filter((index) => outcomes[index] === STUCK);
    return String(found) === String(agents) ? undefined : `agents ${String(found)} wait, expected ${String(agents)}`;
  };

/** Checks that the agent got its permit. */
const notStuck =
  (agent: number) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined =>
    outcomes[agent] === STUCK ? `agent ${agent} waits` : undefined;

type Make = (
  what: string,
  stand: Partial<Pick<Stand, 'ageing'>> & Omit<Stand, 'ageing'>,
  plan: Omit<LevelPlan, 'name'>,
  closes?: boolean,
) => Case;

export function levelCases(core: LevelCore): Case[] {
  const make: Make = (what, stand, plan, closes) =>
    new LevelWorld(core, { ageing: 16, ...stand }).semaphore({ ...plan, name: `priority: ${what}` }, closes);
  return [...ofTwo(make), ...order(make), ...ofSeveral(make), ...deaths(make)];
}

function ofTwo(make: Make): Case[] {
  const one = { permits: 1, agents: 2 };
  const none = { permits: 0, agents: 2, most: 1 };
  return [
    make('one permit, two agents of two levels', one, { bodies: [pass(LOW), pass(HIGH)], options: ALL }),
    make('one permit, two agents of one level', one, { bodies: [pass(3), pass(3)], options: ALL }),
    make('one agent acquires twice', one, { bodies: [both(pass(LOW), pass(HIGH)), pass(4)], options: TWO }),
    make('one of two agents may time out', one, { bodies: [pass(LOW), tryPass(HIGH)], options: ALL }),
    make('both agents may time out', one, { bodies: [tryPass(LOW), tryPass(HIGH)], options: ALL }),
    make('one agent acquires twice, and may time out', one, {
      bodies: [both(tryPass(LOW), tryPass(HIGH)), pass(LOW)],
      options: TWO,
    }),
    make('an agent tries without waiting', one, { bodies: [pass(HIGH), both(glance, glance)], options: ALL }),
    make('another agent releases', none, { bodies: [take(2), give()], options: ALL, ends: 0 }),
    make(
      'another agent releases one of two permits',
      { ...none, most: 2 },
      { bodies: [take(2), give(2)], options: ALL, ends: 1 },
    ),
    make('a release during a wait that may time out', none, { bodies: [tryPass(5), give()], options: ALL, ends: 1 }),
    make('drain() during a wait', one, { bodies: [pass(LOW), drain], options: ALL }),
    make(
      'close() during a wait',
      none,
      { bodies: [orClosed(take(HIGH)), close], options: ALL, final: closed(0), ends: null },
      true,
    ),
    make(
      'a release and close() during a wait',
      none,
      { bodies: [orClosed(take(1)), both(give(), close)], options: ALL, ends: null },
      true,
    ),
    make(
      'close() during a wait that may time out',
      none,
      { bodies: [orClosed(tryPass(1)), close], options: ALL, ends: null },
      true,
    ),
    make('a maximum of one', { ...one, max: 1 }, { bodies: [pass(LOW), pass(HIGH)], options: ALL }),
    make(
      'two releases, and a maximum',
      { ...none, max: 1 },
      { bodies: [orFull(give()), orFull(give())], options: ALL, ends: 1 },
    ),
  ];
}

/** One of the waiting agents gets no permit. */
function order(make: Make): Case[] {
  const none = { permits: 0, agents: 3, most: 2 };
  const low = { ends: null, stuck: onlyStuck(0) };
  return [
    make('the higher level is served first', none, {
      bodies: [take(LOW), take(HIGH), afterWaiters([LOW, HIGH], give())],
      options: TWO,
      ...low,
    }),
    make('neighbouring levels', none, {
      bodies: [take(3), take(4), afterWaiters([3, 4], give())],
      options: ONE,
      ...low,
    }),
    make('waiters of one level are served in order of arrival', none, {
      bodies: [afterTickets(1, 2, take(2)), take(2), afterTickets(2, 2, give())],
      options: ONE,
      ...low,
    }),
    // The level below was passed over once, so it weighs as much and is served next.
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
    // It was passed over once, so it weighs one less than the level two above.
    make(
      'a level ages by one at a time',
      { ...none, ageing: 1 },
      {
        bodies: [take(2), both(take(4), take(4)), both(afterWaiters([2, 4], give()), afterWaiters([2, 4], give()))],
        options: NONE,
        ...low,
      },
    ),
    // The lower level is served third, and its age is 0 then. So the fifth permit is not for it.
    make(
      'a served level loses its age',
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
    make('one release of two permits for two waiters', none, {
      bodies: [take(LOW), take(HIGH), give(2)],
      options: TWO,
      ends: 0,
    }),
    make('one release of two permits for two waiters of one level', none, {
      bodies: [take(6), take(6), give(2)],
      options: TWO,
      ends: 0,
    }),
    make('one release of two permits for two waiters that may time out', none, {
      bodies: [tryPass(LOW), tryPass(HIGH), give(2)],
      options: ONE,
      ends: 2,
    }),
    make('one of two waiters leaves', none, {
      bodies: [take(LOW), tryPass(HIGH), give(2)],
      options: TWO,
      ends: 1,
    }),
    make(
      'the higher one of two waiters leaves',
      { ...none, most: 1 },
      { bodies: [take(LOW), tryPass(HIGH), give()], options: TWO, ends: 0 },
    ),
    make(
      'the lower one of two waiters leaves',
      { ...none, most: 1 },
      { bodies: [tryPass(LOW), take(HIGH), give()], options: TWO, ends: 0 },
    ),
    make(
      'one of two waiters of one level leaves',
      { ...none, most: 1 },
      { bodies: [tryPass(4), take(4), give()], options: TWO, ends: 0 },
    ),
    make(
      'the permit of a leaving waiter goes to an agent that arrives',
      { ...none, most: 1 },
      { bodies: [tryPass(LOW), give(), pass(HIGH)], options: TWO, ends: 1 },
    ),
    // There is one permit, so the second call of the third agent waits forever.
    make(
      'the permit of a leaving waiter goes to an agent that arrives twice',
      { ...none, most: 1 },
      { bodies: [tryPass(LOW), give(), both(take(HIGH), take(LOW))], options: TWO, ends: null, stuck: allStuck(2) },
    ),
    make(
      'the head of a level leaves',
      { ...none, agents: 4 },
      { bodies: [tryPass(4), take(4), take(LOW), give(2)], options: NONE, ends: 0 },
    ),
    make('two agents release at the same time', none, {
      bodies: [both(take(LOW), take(HIGH)), give(), give()],
      options: TWO,
      ends: 0,
    }),
    make(
      'two agents release at the same time, and the second permit is for a level that has aged',
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
      'two agents release at the same time for two waiters',
      { ...none, agents: 4 },
      { bodies: [take(LOW), take(HIGH), give(), give()], options: ONE, ends: 0 },
    ),
    make('three agents', three, { bodies: [pass(LOW), pass(3), pass(HIGH)], options: TWO }),
    make('three agents, all may time out', three, { bodies: [tryPass(LOW), tryPass(3), tryPass(HIGH)], options: ONE }),
    make('two buckets', { ...three, buckets: 2 }, { bodies: [pass(LOW), tryPass(HIGH), pass(HIGH)], options: ONE }),
    make('two waiters leave without a release', none, {
      bodies: [take(LOW), tryPass(LOW), tryPass(HIGH)],
      options: NONE,
      ends: null,
      stuck: onlyStuck(0),
    }),
    make(
      'close() during two waits',
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
      'one of two agents may die',
      { permits: 1, agents: 3 },
      { bodies: [pass(LOW), pass(HIGH), recovering(0)], mayCrash: [0], options: TWO },
    ),
    make(
      'the higher one of two waiters may die',
      { permits: 1, agents: 3 },
      { bodies: [pass(HIGH), pass(LOW), recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'one of two agents that may time out may die',
      { permits: 1, agents: 3 },
      { bodies: [tryPass(HIGH), pass(LOW), recovering(0)], mayCrash: [0], options: TWO },
    ),
    make(
      'one of three agents that may time out may die',
      { permits: 1, agents: 4 },
      { bodies: [tryPass(5), pass(LOW), pass(HIGH), recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'an agent that releases several permits may die',
      { permits: 2, agents: 4 },
      { bodies: [collect(2), pass(LOW), pass(HIGH), recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'a releasing agent may die',
      { ...none, agents: 4, most: 2 },
      {
        bodies: [give(), take(LOW), both(recovering(0), give()), tryPass(HIGH)],
        mayCrash: [0],
        options: NONE,
        ends: null,
      },
    ),
    make(
      'a closing agent may die',
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
