// Scenarios of a resizable semaphore.

import { DIED, STUCK, type Options, type Words } from '@sluice/model';
import { AGENT_DUTY, AGENT_DUTY_KIND, CAPACITY, LINE, TICKET } from '../../../core/src/kernel/layout.ts';
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

/** Like `body`, but returns normally if its wait is cancelled. */
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
/** Like `body`, but returns normally if the semaphore is closed. */
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
/** Waits until two permits are free. Checks that both are free then, if no agent takes one. */
const watchTwo: ResizableBody = ({ ctx, sem }) => {
  sem.waitForUnlock(2);
  ctx.assert(balanceAt(ctx.words) >= 2, 'a wait for two free permits ended with one');
};
const tryWatch: ResizableBody = ({ sem }) => sem.waitForUnlock(1, 1);

/** Arrives when that many permits were requested in line. */
const afterTickets =
  (tickets: number, body: ResizableBody): ResizableBody =>
  (actor) => {
    const { words } = actor.ctx;
    actor.ctx.until(() => words.load64(HOME + TICKET) >= BigInt(tickets));
    return body(actor);
  };
/** Arrives when agent 0 waits for a free permit. */
const afterWatch =
  (body: ResizableBody): ResizableBody =>
  (actor) => {
    const { words } = actor.ctx;
    actor.ctx.until(() => words.load32(elementAt(0) + LINE) === OFFICE);
    return body(actor);
  };

type Outcomes = readonly unknown[];
const isOutcome =
  (agent: number, ...allowed: readonly unknown[]) =>
  (_: Words, outcomes: Outcomes): string | undefined =>
    allowed.includes(outcomes[agent]) ? undefined : `agent ${agent} ends with ${String(outcomes[agent])}`;
/** Checks that the size and the balance agree and are one of these pairs. */
const sizeIs =
  (...sizes: readonly number[]) =>
  (words: Words): string | undefined => {
    const [free, size] = [balanceAt(words), Number(words.load64(HOME + CAPACITY))];
    return sizes.includes(size) && free === size ? undefined : `${free} of ${size} permits are free at the end`;
  };
/** Checks that no agent's record names remaining visits. */
const noDuty = (words: Words, outcomes: Outcomes): string | undefined => {
  const agent = [...outcomes.keys()].find(
    (index) => words.get32(agentAt(index) + AGENT_DUTY) !== 0 || words.get32(agentAt(index) + AGENT_DUTY_KIND) !== 0,
  );
  return agent === undefined ? undefined : `agent ${agent} has not made its visits`;
};
const oneStuck = (_: Words, outcomes: Outcomes): string | undefined =>
  outcomes.filter((outcome) => outcome === STUCK).length === 1 ? undefined : 'not exactly one agent waits';
/** Checks that agent 1 does not wait for permits that agent 0 left when it died. */
const servedAfterDeath = (_: Words, outcomes: Outcomes): string | undefined =>
  outcomes[0] === DIED && outcomes[1] === STUCK ? 'agent 1 waits for permits that a dead agent left' : undefined;

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
    make('two permits, three agents that want different numbers', [pass(2), pass(), pass(2)], TWO, two),
    make('one agent may time out', [tryPass(), pass()], ALL, one),
    make('both agents may time out', [tryPass(), tryPass()], ALL, one),
    make('a collecting waiter may time out', [tryPass(2), pass()], { preemptions: 3 }, one),
    make(
      'a collecting waiter may time out, and an agent that wants two arrives',
      [tryPass(2), pass(), both(add(), pass(2))],
      ONE,
      {
        permits: 1,
        most: 2,
        ends: 2,
        size: 2,
      },
    ),
    make('two collecting waiters may time out', [tryPass(2), tryPass(2), pass()], ONE, one),
    make('two waiters that collect different numbers may time out', [tryPass(3), tryPass(2), pass()], ONE, two),
    make('a waiter that lacks several permits releases what it collected', [tryPass(5), pass(), pass(3)], ONE, {
      permits: 3,
      buckets: 4,
    }),
    make('three agents may time out', [tryPass(2), tryPass(), tryPass(2)], ONE, two),
    make('two buckets', [tryPass(2), pass(), pass(2)], ONE, { permits: 2, buckets: 2 }),
    make('an agent tries without waiting', [pass(), both(glance, glance)], ALL, one),
    make('drain() during a wait', [pass(), drain], ALL, one),
    make('another agent releases', [take(), give()], ALL, { most: 1, size: 1 }),
    make('one release of two permits for two waiters', [take(), take(), give(2)], TWO, { most: 2, size: 2 }),
    make('a release during a wait that may time out', [tryPass(), give()], ALL, { most: 1, ends: 1, size: 1 }),
    make('a permit reaches a leaving waiter', [tryPass(), take(), give()], TWO, { most: 1, ends: 0, size: 1 }),
    make('two permits reach a leaving waiter', [tryPass(2), take(2), give(2)], TWO, {
      most: 2,
      ends: 0,
      size: 2,
      buckets: 2,
    }),
    make('counters just below 32 bits', [pass(2), tryPass(), pass()], ONE, { permits: 2, start: (1n << 32n) - 2n }),
    make('the head of the line releases what it collected', [tryPass(3), pass(2), give()], ONE, {
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
    make('a reduction during a pass', [pass(), reduce()], ALL, { permits: 1, ends: 0, size: 0, stuck: allStuck(0) }),
    make('a reduction during two passes', [pass(), pass(), reduce()], TWO, { permits: 2, ends: 1, size: 1 }),
    make(
      'a release pays the debt before it serves the waiter',
      [take(), afterTickets(1, both(reduce(), give()))],
      ALL,
      {
        most: 1,
        ...stuck,
        stuck: allStuck(0),
        final: () => 'the waiter got a permit',
      },
    ),
    make(
      'a waiter gets what a release leaves after the debt',
      [take(), afterTickets(1, both(reduce(), give(2)))],
      ALL,
      {
        most: 1,
        ends: 0,
        size: 1,
      },
    ),
    make('the start with a debt', [take(), give(2)], ALL, { permits: -1, most: 1, ends: 0, size: 1 }),
    make('the start with a debt, and two releases', [take(), give(), give()], TWO, {
      permits: -1,
      most: 1,
      ends: 0,
      size: null,
    }),
    make('new permits pay the debt', [both(reduce(2), add()), pass()], ALL, { permits: 2, most: 2, ends: 1, size: 1 }),
    make('new permits are for the waiter', [take(), add()], ALL, { most: 1, ends: 0, size: 1 }),
    make('two agents change the size', [resize(2), resize(3)], ALL, {
      permits: 1,
      most: 3,
      ends: null,
      size: null,
      final: sizeIs(2, 3),
    }),
    make('two agents change the size while one holds a permit', [resize(0), resize(2), pass()], TWO, {
      permits: 1,
      most: 2,
      ends: null,
      size: null,
      final: sizeIs(0, 2),
      stuck: allStuck(2),
    }),
    make('the head leaves, and what it collected pays the debt', [tryPass(2), afterTickets(2, reduce())], ALL, {
      permits: 1,
      most: 1,
      ends: 0,
      size: 0,
    }),
    make('forgotten permits', [forget(), pass()], ALL, { permits: 2, ends: 1, size: 1 }),
    make('a release during a reduction, and a waiter', [take(), give(), reduce()], TWO, {
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
    make('a cancel during a wait', [orCancelled(take()), cancel], ALL, {
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
    make('a cancel during a release', [orCancelled(pass()), give(), cancel], TWO, {
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
    make('a collecting waiter is cancelled', [orCancelled(pass(2)), afterTickets(2, both(cancel, pass()))], ALL, {
      permits: 1,
      final: isOutcome(0, CANCELLED),
    }),
    make('two waiters are cancelled', [orCancelled(take()), orCancelled(take(2)), afterTickets(3, cancel)], ONE, {
      final: (words, outcomes) => isOutcome(0, CANCELLED)(words, outcomes) ?? isOutcome(1, CANCELLED)(words, outcomes),
    }),
    make('a waiter that may time out is cancelled', [orCancelled(tryPass()), cancel], ALL, {
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
      'a collecting waiter, and two cancels',
      [orCancelled(pass(2)), afterTickets(2, both(cancel, give(), cancel, pass()))],
      ONE,
      { permits: 1, most: 2, ends: 2, size: null, final: isOutcome(0, CANCELLED) },
    ),
    make(
      'a cancel that loses a race and then finds the semaphore closed',
      [orClosed(cancel), orClosed(cancel), close],
      ONE,
      {
        ends: null,
        size: null,
        final: noDuty,
      },
    ),
    make('two cancels', [orCancelled(take()), cancel, cancel], ONE, {
      ends: null,
      stuck: allStuck(0),
      final: isOutcome(0, CANCELLED),
    }),
  ];
}

function ofWatches(make: Make): Case[] {
  return [
    make('a watcher sees a free permit and does not take it', [watch, give()], ALL, {
      ends: 1,
      size: 1,
      final: isOutcome(0, true),
    }),
    make('a watcher sees a permit that another agent takes in between', [watch, pass()], ALL, {
      permits: 1,
      final: isOutcome(0, true),
    }),
    make(
      'a watcher sees a permit that is free only for a moment',
      [watch, afterWatch(both(give(), ({ sem }) => sem.tryAcquire()))],
      ALL,
      { most: 1, ends: 0, size: 1, final: isOutcome(0, true) },
    ),
    make('two watchers see one permit', [watch, watch, give()], ONE, { ends: 1, size: 1 }),
    make('a watcher sees two permits', [watchTwo, both(give(), give())], ALL, { ends: 2, size: 2 }),
    make('a watcher may time out', [tryWatch, give()], ALL, {
      ends: 1,
      size: 1,
      final: isOutcome(0, true, false),
    }),
    make('a watcher sees new permits', [watch, add()], ALL, { ends: 1, size: 1 }),
    make('a watcher sees the permits that a leaving waiter releases', [tryPass(2), afterTickets(2, watch)], ALL, {
      permits: 1,
      final: isOutcome(1, true),
    }),
    make('a watcher does not see permits that pay the debt', [watch, give()], ALL, {
      permits: -1,
      ends: 0,
      size: 0,
      stuck: allStuck(0),
      final: () => 'a watcher sees a permit after the debt is paid',
    }),
  ];
}

function ofDeaths(make: Make): Case[] {
  const dies = { mayCrash: [0] };
  return [
    make('one of two agents may die', [pass(), pass(), reclaim(0)], TWO, { permits: 1, ...dies }),
    make('an agent that holds two permits may die', [pass(2), pass(), reclaim(0)], TWO, { permits: 2, ...dies }),
    make('a collecting waiter may die', [pass(2), pass(), reclaim(0)], ONE, {
      permits: 1,
      ...dies,
      stuck: servedAfterDeath,
    }),
    make('an agent that may time out may die', [tryPass(2), pass(), reclaim(0)], ONE, { permits: 1, ...dies }),
    make('the permits of a dead agent pay the debt', [pass(), reduce(), reclaim(0)], TWO, {
      permits: 1,
      ends: 0,
      size: 0,
      ...dies,
      stuck: () => undefined,
    }),
    make('a reducing agent may die', [reduce(), pass(), reclaim(0)], ONE, {
      permits: 2,
      ends: null,
      size: null,
      ...dies,
      final: sizeIs(1, 2),
    }),
    make('an adding agent may die', [add(), take(), both(reclaim(0), give())], ONE, {
      most: 1,
      ends: null,
      size: null,
      ...dies,
    }),
    make('a cancelling agent may die', [cancel, orCancelled(take()), both(reclaim(0), cancel, give())], ONE, {
      most: 1,
      ends: null,
      size: null,
      ...dies,
      stuck: () => undefined,
    }),
    make(
      'a cancelling agent may die, and its reclaimer does nothing else',
      [afterTickets(1, cancel), orCancelled(take()), reclaim(0)],
      ONE,
      {
        ends: null,
        ...dies,
        // Either it died before the cancel, or the waiter was told.
        stuck: (words) =>
          words.load64(OFFICE + CANCELLED_AT) === 0n ? undefined : 'a cancelled waiter is still asleep',
      },
    ),
    make(
      'a cancelled waiter may die',
      [orCancelled(take()), both(cancel, orCancelled(pass())), both(reclaim(0), give())],
      ONE,
      { most: 1, ends: null, size: null, ...dies, stuck: servedAfterDeath },
    ),
    make('a watcher may die', [watch, give(), reclaim(0)], ONE, {
      ends: 1,
      size: 1,
      ...dies,
    }),
    make('an agent that releases a permit for a watcher may die', [give(), watch, both(reclaim(0), give())], ONE, {
      ends: null,
      size: null,
      ...dies,
    }),
    make('a forgetting agent may die', [both(forget(), pass()), pass(), reclaim(0)], ONE, {
      permits: 2,
      ends: null,
      size: null,
      ...dies,
      final: sizeIs(1, 2),
    }),
    make('one of three agents may die, without a preemption', [pass(2), tryPass(), pass(2), reclaim(0)], NONE, {
      permits: 2,
      ...dies,
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'resizable', entry: new URL('entry.ts', import.meta.url), cases: resizableCases, mutants: RESIZABLE_MUTANTS },
];
