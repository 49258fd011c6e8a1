// The scenarios that a resizable semaphore has to survive.

import { DIED, STUCK, type Options, type Words } from '@sluice/model';
import { AGENT_DUTY, AGENT_DUTY_KIND, CAPACITY, SEM, TICKET } from '../../../core/src/kernel/layout.ts';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import { agentAt, elementAt } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { CANCELLED_AT } from '../../src/kernel/layout.ts';
import {
  allStuck,
  balanceAt,
  HOME,
  OFFICE,
  resizableCase,
  type ResizableBody,
  type ResizableCore,
  type ResizablePlan,
} from './resizable-world.ts';
import { RESIZABLE_MUTANTS } from './resizable-mutants.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: 0 };

const CANCELLED = 'cancelled';
const PASSED = 'passed';
const GAVE_UP = 'gave up';
const CLOSED = 'closed';

/** To be told of a cancel is an answer like any other. */
const orCancelled =
  (body: ResizableBody): ResizableBody =>
  (actor) => {
    try {
      return body(actor);
    } catch (error) {
      if (actor.core.hasCode(error, 'SLUICE_CANCELLED')) return CANCELLED;
      throw error;
    }
  };
/** To be told of a close is one, too. */
const orClosed =
  (body: ResizableBody): ResizableBody =>
  (actor) => {
    try {
      return body(actor);
    } catch (error) {
      if (actor.core.hasCode(error, 'SLUICE_CLOSED')) return CLOSED;
      throw error;
    }
  };
const both =
  (...bodies: readonly ResizableBody[]): ResizableBody =>
  (actor) => {
    let last: unknown;
    for (const body of bodies) last = body(actor);
    return last;
  };

const take =
  (permits = 1): ResizableBody =>
  ({ sem }) =>
    sem.acquire(permits);
const give =
  (permits = 1): ResizableBody =>
  ({ sem }) =>
    sem.release(permits);
const pass =
  (permits = 1): ResizableBody =>
  ({ ctx, sem }) => {
    sem.acquire(permits);
    ctx.step('inside');
    sem.release(permits);
    return PASSED;
  };
const tryPass =
  (permits = 1): ResizableBody =>
  ({ ctx, sem }) => {
    if (!sem.tryAcquire(permits, 1)) return GAVE_UP;
    ctx.step('inside');
    sem.release(permits);
    return PASSED;
  };
const glance: ResizableBody = ({ sem }) => {
  if (sem.tryAcquire()) sem.release();
};
const drain: ResizableBody = ({ sem }) => {
  const taken = sem.drain();
  if (taken > 0) sem.release(taken);
};
const reduce =
  (permits = 1): ResizableBody =>
  ({ sem }) =>
    sem.reducePermits(permits);
const add =
  (permits = 1): ResizableBody =>
  ({ sem }) =>
    sem.addPermits(permits);
const resize =
  (size: number): ResizableBody =>
  ({ sem }) =>
    sem.resize(size);
const forget =
  (permits = 1): ResizableBody =>
  ({ sem }) => {
    sem.acquireGuard(permits).forget();
  };
const cancel: ResizableBody = ({ sem }) => sem.cancelWaiters(7);
const close: ResizableBody = ({ sem }) => sem.close();
const watch: ResizableBody = ({ sem }) => sem.waitForUnlock();
/** When it returns, both permits are free, if no agent takes one. */
const watchTwo: ResizableBody = ({ ctx, sem }) => {
  sem.waitForUnlock(2);
  ctx.assert(balanceAt(ctx.words) >= 2, 'a wait for two free permits ended with one');
};
const tryWatch: ResizableBody = ({ sem }) => sem.waitForUnlock(1, 1);

/** Comes when so many permits were requested in line. */
const afterTickets =
  (tickets: number, body: ResizableBody): ResizableBody =>
  (actor) => {
    const { words } = actor.ctx;
    actor.ctx.until(() => words.load64(HOME + TICKET) >= BigInt(tickets));
    return body(actor);
  };
/** Comes when agent 0 waits for a free permit. */
const afterWatch =
  (body: ResizableBody): ResizableBody =>
  (actor) => {
    const { words } = actor.ctx;
    actor.ctx.until(() => words.load32(elementAt(0) + SEM) === OFFICE);
    return body(actor);
  };

type Outcomes = readonly unknown[];
const isOutcome =
  (agent: number, ...allowed: readonly unknown[]) =>
  (_: Words, outcomes: Outcomes): string | undefined =>
    allowed.includes(outcomes[agent]) ? undefined : `agent ${agent} ends with ${String(outcomes[agent])}`;
/** The size and the balance agree, and are one of these. */
const sizeIs =
  (...sizes: readonly number[]) =>
  (words: Words): string | undefined => {
    const [free, size] = [balanceAt(words), Number(words.load64(HOME + CAPACITY))];
    return sizes.includes(size) && free === size ? undefined : `${free} of ${size} permits are free at the end`;
  };
/** No agent's record names visits that are still to be made. */
const noDuty = (words: Words, outcomes: Outcomes): string | undefined => {
  const agent = [...outcomes.keys()].find(
    (index) => words.get32(agentAt(index) + AGENT_DUTY) !== 0 || words.get32(agentAt(index) + AGENT_DUTY_KIND) !== 0,
  );
  return agent === undefined ? undefined : `agent ${agent} has not made its visits`;
};
const oneStuck = (_: Words, outcomes: Outcomes): string | undefined =>
  outcomes.filter((outcome) => outcome === STUCK).length === 1 ? undefined : 'not one agent waits';
/** If agent 0 died, agent 1 does not wait for what it left. */
const servedAfterDeath = (_: Words, outcomes: Outcomes): string | undefined =>
  outcomes[0] === DIED && outcomes[1] === STUCK ? 'agent 1 waits for what a dead agent left' : undefined;

type Make = (name: string, bodies: readonly ResizableBody[], options: Options, plan?: ResizablePlan) => Case;

export function resizableCases(core: ResizableCore): Case[] {
  const make: Make = (name, bodies, options, plan) => resizableCase(core, `resizable: ${name}`, bodies, options, plan);
  return [...ofPermits(make), ...ofSizes(make), ...ofCancels(make), ...ofWatches(make), ...ofDeaths(make)];
}

function ofPermits(make: Make): Case[] {
  const one = { permits: 1 };
  const two = { permits: 2 };
  return [
    make('one permit, two agents', [pass(), pass()], ALL, one),
    make('one permit, and two agents that keep it', [take(), take()], ALL, {
      permits: 1,
      stuck: oneStuck,
      final: () => 'two agents keep one permit',
    }),
    make('two permits, one wants both', [pass(2), pass()], ALL, two),
    make('three permits, and each wants two', [pass(2), pass(2)], ALL, { permits: 3 }),
    make('two permits, three agents of different wishes', [pass(2), pass(), pass(2)], TWO, two),
    make('one may give up', [tryPass(), pass()], ALL, one),
    make('both may give up', [tryPass(), tryPass()], ALL, one),
    make('one that collects may give up', [tryPass(2), pass()], { preemptions: 3 }, one),
    make('one that collects may give up, and another of two comes', [tryPass(2), pass(), both(add(), pass(2))], ONE, {
      permits: 1,
      most: 2,
      ends: 2,
      size: 2,
    }),
    make('two that collect may give up', [tryPass(2), tryPass(2), pass()], ONE, one),
    make('two that collect different numbers may give up', [tryPass(3), tryPass(2), pass()], ONE, two),
    make('one that lacks several gives up what it collected', [tryPass(5), pass(), pass(3)], ONE, {
      permits: 3,
      buckets: 4,
    }),
    make('three may give up', [tryPass(2), tryPass(), tryPass(2)], ONE, two),
    make('two buckets', [tryPass(2), pass(), pass(2)], ONE, { permits: 2, buckets: 2 }),
    make('a look without waiting', [pass(), both(glance, glance)], ALL, one),
    make('a drain beside a waiter', [pass(), drain], ALL, one),
    make('a release by another agent', [take(), give()], ALL, { most: 1, size: 1 }),
    make('a release of two for two waiters', [take(), take(), give(2)], TWO, { most: 2, size: 2 }),
    make('a release against a waiter that may give up', [tryPass(), give()], ALL, { most: 1, ends: 1, size: 1 }),
    make('the permit of one that gives up', [tryPass(), take(), give()], TWO, { most: 1, ends: 0, size: 1 }),
    make('two permits of one that gives up', [tryPass(2), take(2), give(2)], TWO, {
      most: 2,
      ends: 0,
      size: 2,
      buckets: 2,
    }),
    make('below the wrap of 32 bits', [pass(2), tryPass(), pass()], ONE, { permits: 2, start: (1n << 32n) - 2n }),
    make('the head of the line gives up what it collected', [tryPass(3), pass(2), give()], ONE, {
      permits: 1,
      most: 2,
      ends: 2,
      size: null,
    }),
  ];
}

function ofSizes(make: Make): Case[] {
  const stuck = { ends: null, size: null };
  return [
    make('a reduction beside a pass', [pass(), reduce()], ALL, { permits: 1, ends: 0, size: 0, stuck: allStuck(0) }),
    make('a reduction beside two passes', [pass(), pass(), reduce()], TWO, { permits: 2, ends: 1, size: 1 }),
    make('the debt is paid before the waiter', [take(), afterTickets(1, both(reduce(), give()))], ALL, {
      most: 1,
      ...stuck,
      stuck: allStuck(0),
      final: () => 'the waiter got a permit',
    }),
    make('the waiter gets what is left of the debt', [take(), afterTickets(1, both(reduce(), give(2)))], ALL, {
      most: 1,
      ends: 0,
      size: 1,
    }),
    make('a start with a debt', [take(), give(2)], ALL, { permits: -1, most: 1, ends: 0, size: 1 }),
    make('a start with a debt, and two releases', [take(), give(), give()], TWO, {
      permits: -1,
      most: 1,
      ends: 0,
      size: null,
    }),
    make('new permits pay the debt', [both(reduce(2), add()), pass()], ALL, { permits: 2, most: 2, ends: 1, size: 1 }),
    make('new permits are for the waiter', [take(), add()], ALL, { most: 1, ends: 0, size: 1 }),
    make('two agents set the size', [resize(2), resize(3)], ALL, {
      permits: 1,
      most: 3,
      ends: null,
      size: null,
      final: sizeIs(2, 3),
    }),
    make('two agents set the size while one holds', [resize(0), resize(2), pass()], TWO, {
      permits: 1,
      most: 2,
      ends: null,
      size: null,
      final: sizeIs(0, 2),
      stuck: allStuck(2),
    }),
    make('the head gives up what it collected to the debt', [tryPass(2), afterTickets(2, reduce())], ALL, {
      permits: 1,
      most: 1,
      ends: 0,
      size: 0,
    }),
    make('forgotten permits', [forget(), pass()], ALL, { permits: 2, ends: 1, size: 1 }),
    make('a release beside a reduction, and a waiter', [take(), give(), reduce()], TWO, {
      most: 1,
      ...stuck,
      stuck: allStuck(0),
    }),
  ];
}

function ofCancels(make: Make): Case[] {
  const none = { most: 1 };
  return [
    make('a waiter is cancelled', [orCancelled(take()), afterTickets(1, cancel)], ALL, {
      final: isOutcome(0, CANCELLED),
    }),
    make('a cancel beside a waiter', [orCancelled(take()), cancel], ALL, {
      ends: null,
      stuck: allStuck(0),
      final: isOutcome(0, CANCELLED),
    }),
    make(
      'a permit after the cancel is not for a cancelled waiter',
      [orCancelled(pass()), afterTickets(1, both(cancel, give()))],
      ALL,
      { ...none, ends: 1, size: 1, final: isOutcome(0, CANCELLED) },
    ),
    make(
      'a permit before the cancel is for the waiter',
      [orCancelled(pass()), afterTickets(1, both(give(), cancel))],
      ALL,
      { ...none, ends: 1, size: 1, final: isOutcome(0, PASSED) },
    ),
    make('a cancel beside a release', [orCancelled(pass()), give(), cancel], TWO, {
      ...none,
      ends: 1,
      size: 1,
      final: isOutcome(0, CANCELLED, PASSED),
    }),
    make(
      'a later waiter is not cancelled',
      [orCancelled(pass()), afterTickets(1, both(cancel, pass())), afterTickets(1, give())],
      ONE,
      { ...none, ends: 1, size: 1 },
    ),
    make('a waiter that collects is cancelled', [orCancelled(pass(2)), afterTickets(2, both(cancel, pass()))], ALL, {
      permits: 1,
      final: isOutcome(0, CANCELLED),
    }),
    make('two waiters are cancelled', [orCancelled(take()), orCancelled(take(2)), afterTickets(3, cancel)], ONE, {
      final: (words, outcomes) => isOutcome(0, CANCELLED)(words, outcomes) ?? isOutcome(1, CANCELLED)(words, outcomes),
    }),
    make('a waiter that may give up is cancelled', [orCancelled(tryPass()), cancel], ALL, {
      final: isOutcome(0, CANCELLED, GAVE_UP),
    }),
    make(
      'a second cancel does not revoke the first',
      [orCancelled(pass()), afterTickets(1, both(cancel, give(), cancel))],
      ALL,
      { ...none, ends: 1, size: 1, final: isOutcome(0, CANCELLED) },
    ),
    make('a permit before two cancels', [orCancelled(pass()), afterTickets(1, both(give(), cancel, cancel))], ALL, {
      ...none,
      ends: 1,
      size: 1,
      final: isOutcome(0, CANCELLED, PASSED),
    }),
    make(
      'one that collects, and two cancels',
      [orCancelled(pass(2)), afterTickets(2, both(cancel, give(), cancel, pass()))],
      ONE,
      { permits: 1, most: 2, ends: 2, size: null, final: isOutcome(0, CANCELLED) },
    ),
    make('a cancel that loses a race and then meets a close', [orClosed(cancel), orClosed(cancel), close], ONE, {
      ends: null,
      size: null,
      final: noDuty,
    }),
    make('two cancels', [orCancelled(take()), cancel, cancel], ONE, {
      ends: null,
      stuck: allStuck(0),
      final: isOutcome(0, CANCELLED),
    }),
  ];
}

function ofWatches(make: Make): Case[] {
  return [
    make('a free permit is seen and not taken', [watch, give()], ALL, { ends: 1, size: 1, final: isOutcome(0, true) }),
    make('a permit that another agent takes in between is seen', [watch, pass()], ALL, {
      permits: 1,
      final: isOutcome(0, true),
    }),
    make(
      'a permit is seen that is free only for a moment',
      [watch, afterWatch(both(give(), ({ sem }) => sem.tryAcquire()))],
      ALL,
      { most: 1, ends: 0, size: 1, final: isOutcome(0, true) },
    ),
    make('two agents see one permit', [watch, watch, give()], ONE, { ends: 1, size: 1 }),
    make('two permits are seen', [watchTwo, both(give(), give())], ALL, { ends: 2, size: 2 }),
    make('an agent that waits for a free permit may give up', [tryWatch, give()], ALL, {
      ends: 1,
      size: 1,
      final: isOutcome(0, true, false),
    }),
    make('new permits are seen', [watch, add()], ALL, { ends: 1, size: 1 }),
    make('what a waiter gives up is seen', [tryPass(2), afterTickets(2, watch)], ALL, {
      permits: 1,
      final: isOutcome(1, true),
    }),
    make('the debt is not seen', [watch, give()], ALL, {
      permits: -1,
      ends: 0,
      size: 0,
      stuck: allStuck(0),
      final: () => 'the debt was seen',
    }),
  ];
}

function ofDeaths(make: Make): Case[] {
  const dies = { mayCrash: [0] };
  return [
    make('death of one of two', [pass(), pass(), reclaim(0)], TWO, { permits: 1, ...dies }),
    make('death of one that holds two', [pass(2), pass(), reclaim(0)], TWO, { permits: 2, ...dies }),
    make('death of one that collects', [pass(2), pass(), reclaim(0)], ONE, {
      permits: 1,
      ...dies,
      stuck: servedAfterDeath,
    }),
    make('death of one that may give up', [tryPass(2), pass(), reclaim(0)], ONE, { permits: 1, ...dies }),
    make('what a dead agent held pays the debt', [pass(), reduce(), reclaim(0)], TWO, {
      permits: 1,
      ends: 0,
      size: 0,
      ...dies,
      stuck: () => undefined,
    }),
    make('death of the agent that reduces', [reduce(), pass(), reclaim(0)], ONE, {
      permits: 2,
      ends: null,
      size: null,
      ...dies,
      final: sizeIs(1, 2),
    }),
    make('death of the agent that adds', [add(), take(), both(reclaim(0), give())], ONE, {
      most: 1,
      ends: null,
      size: null,
      ...dies,
    }),
    make('death of the agent that cancels', [cancel, orCancelled(take()), both(reclaim(0), cancel, give())], ONE, {
      most: 1,
      ends: null,
      size: null,
      ...dies,
      stuck: () => undefined,
    }),
    make(
      'death of the agent that cancels, and its reclaimer leaves it at that',
      [afterTickets(1, cancel), orCancelled(take()), reclaim(0)],
      ONE,
      {
        ends: null,
        ...dies,
        // It died before the cancel, or the waiter was told.
        stuck: (words) => (words.load64(OFFICE + CANCELLED_AT) === 0n ? undefined : 'a cancelled waiter sleeps on'),
      },
    ),
    make(
      'death of a cancelled waiter',
      [orCancelled(take()), both(cancel, orCancelled(pass())), both(reclaim(0), give())],
      ONE,
      { most: 1, ends: null, size: null, ...dies, stuck: servedAfterDeath },
    ),
    make('death of an agent that waits for a free permit', [watch, give(), reclaim(0)], ONE, {
      ends: 1,
      size: 1,
      ...dies,
    }),
    make(
      'death of the agent that releases for one that waits for a free permit',
      [give(), watch, both(reclaim(0), give())],
      ONE,
      { ends: null, size: null, ...dies },
    ),
    make('death of the agent that forgets', [both(forget(), pass()), pass(), reclaim(0)], ONE, {
      permits: 2,
      ends: null,
      size: null,
      ...dies,
      final: sizeIs(1, 2),
    }),
    make('death without a preemption of one of three', [pass(2), tryPass(), pass(2), reclaim(0)], NONE, {
      permits: 2,
      ...dies,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'resizable', entry: new URL('entry.ts', import.meta.url), cases: resizableCases, mutants: RESIZABLE_MUTANTS },
];
