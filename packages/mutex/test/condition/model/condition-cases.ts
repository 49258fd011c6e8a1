// Scenarios of the condition. The lock protects a number of items. An agent that waits for an item takes one.

import { STUCK, type Options, type Words } from '@sluice/model';
import { asElement } from '../../../../core/src/kernel/addresses.ts';
import { BLOCK_TAG, MODE, MODE_ASYNC, OFFICE } from '../../../../core/src/kernel/layout.ts';
import { TAKEN } from '../../../../core/src/kernel/states.ts';
import { enterOrAbort, visit } from '../../../../core/test/model/office-bodies.ts';
import type { Plan } from '../../../../core/test/model/office-world.ts';
import { elementAt } from '../../../../core/test/model/places.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import type { ConditionKernel } from '../../../src/condition/kinds.ts';
import {
  asleep,
  conditionAt,
  conditionWorld,
  ITEMS,
  TAG,
  type ConditionActor,
  type ConditionBody,
  type ConditionCore,
  type ConditionSetup,
  type Sort,
} from './condition-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };

/** Values just below the limits of 32-bit and 64-bit counters. */
const WRAPS = [2n ** 31n - 1n, 2n ** 32n - 1n, 2n ** 63n - 1n];

function add({ ctx: { words } }: ConditionActor, n: number): void {
  words.put32(ITEMS, words.get32(ITEMS) + n);
}

/**
 * Adds `n` items and notifies `n` times, with the lock held or after unlocking. Returns the number of notified waiters.
 */
export const give =
  (n = 1, where: 'inside' | 'outside' = 'inside'): ConditionBody =>
  (actor) => {
    const { lock, condition } = actor;
    lock.lock();
    add(actor, n);
    const notified = where === 'inside' ? condition.notify(n) : 0;
    lock.unlock();
    return where === 'inside' ? notified : condition.notify(n);
  };

const giveAll =
  (n: number): ConditionBody =>
  (actor) => {
    const { lock, condition } = actor;
    lock.lock();
    add(actor, n);
    const notified = condition.notifyAll();
    lock.unlock();
    return notified;
  };

/** Notifies without adding an item. */
export const notify =
  (n = 1): ConditionBody =>
  ({ condition }) =>
    condition.notify(n);

/** Waits for an item and takes it. */
export const take: ConditionBody = (actor) => {
  const { ctx, lock, condition } = actor;
  lock.lock();
  while (ctx.words.get32(ITEMS) === 0) condition.wait();
  add(actor, -1);
  visit(actor);
  lock.unlock();
};

/** Waits once unless there is an item, then takes an item if there is one. Returns whether it took one. */
const tryTake: ConditionBody = (actor) => {
  const { ctx, lock, condition } = actor;
  lock.lock();
  if (ctx.words.get32(ITEMS) === 0) condition.tryWait(1);
  const there = ctx.words.get32(ITEMS) > 0;
  if (there) add(actor, -1);
  visit(actor, 1, there ? 1 : 0);
  lock.unlock();
  return there;
};

/** Is asleep from the start, and may time out. Returns whether it was notified. */
const sleepOn =
  (timed: boolean): ConditionBody =>
  (actor) => {
    const { ctx, wait, lock } = actor;
    const notified = wait.finish(elementAt(ctx.index), 0, timed ? 0 : Infinity) === TAKEN;
    visit(actor, 1, notified ? 1 : 0);
    lock.unlock();
    return notified;
  };
export const sleep = sleepOn(false);
export const sleepTimed = sleepOn(true);

/** Waits in an async call that may be aborted at any moment. Returns whether it was notified. */
const waitOrAbort =
  (sort: Sort): ConditionBody =>
  (actor) => {
    const { ctx, context, lock, entry } = actor;
    const kernel = context.kernel as ConditionKernel;
    lock.lock();
    const notified = enterOrAbort(
      actor,
      () => {
        const element = asElement(kernel.enqueueAtCondition(conditionAt(sort), TAG, context.agent, entry));
        ctx.words.put32(element + MODE, MODE_ASYNC);
        lock.unlock();
        return element;
      },
      entry,
    );
    lock.lock();
    if (notified) kernel.endConditionWait(entry);
    visit(actor, 1, notified ? 1 : 0);
    lock.unlock();
    return notified;
  };

/** Locks twice, so that the second time may be in its own turn with a successor behind it. Then it waits once. */
const waitInTurn: ConditionBody = (actor) => {
  const { lock, condition } = actor;
  lock.lock();
  visit(actor);
  lock.unlock();
  lock.lock();
  condition.wait();
  visit(actor);
  lock.unlock();
  return true;
};

/** Owns the lock for a short time. */
const pass: ConditionBody = (actor) => {
  actor.lock.lock();
  visit(actor);
  actor.lock.unlock();
};

/** Waits once. Returns whether it owned the lock afterwards: the lock may be freed meanwhile. */
const waitUnlessFreed: ConditionBody = (actor) => {
  const { lock, condition } = actor;
  try {
    lock.lock();
    condition.wait();
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
    actor.ctx.assert(failure.name !== 'CorruptArenaError', failure.message);
    if (failure.name === 'MisuseError') return false;
    throw failure;
  }
  visit(actor);
  lock.unlock();
  return true;
};

/** Frees the lock if it is free, as `free` does: it takes the lock first, and changes the tag of the block. */
const freeLock: ConditionBody = ({ ctx, lock, ref }) => {
  if (!lock.tryLock()) return;
  ctx.words.store32(ref.address + BLOCK_TAG, TAG + 1);
};

const count = (outcomes: readonly unknown[], outcome: unknown): number =>
  outcomes.filter((each) => each === outcome).length;
const notifiedBy = (outcomes: readonly unknown[]): number =>
  outcomes.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0);

/** Checks that as many waits ended with a notification as waiters were notified. */
function checkNotified(_words: Words, outcomes: readonly unknown[]): string | undefined {
  const [given, taken] = [notifiedBy(outcomes), count(outcomes, true)];
  return given === taken ? undefined : `${given} waiters were notified, and ${taken} waits ended with a notification`;
}

type More = Partial<ConditionSetup & Plan<ConditionActor>>;

export function conditionCases(core: ConditionCore): Case[] {
  const make = (name: string, bodies: readonly ConditionBody[], options: Options, more: More = {}): Case => {
    const { lock = 'fifo' } = more;
    return conditionWorld(core, { agents: bodies.length, ...more }).case({
      name: lock === 'fifo' ? name : `${lock}, ${name}`,
      bodies,
      options,
      ...more,
    });
  };
  /** Checks that as many agents wait forever as the condition counts. */
  const rest = (sort: Sort): More => ({
    stuck: (words, outcomes) => {
      const [waiting, waiters] = [count(outcomes, STUCK), words.load32(conditionAt(sort) + OFFICE)];
      return waiting === waiters
        ? checkNotified(words, outcomes)
        : `${waiting} agents wait forever, and ${waiters} are counted`;
    },
    final: checkNotified,
  });
  const first = (sort: Sort, to: number): More => ({ lock: sort, before: asleep(sort, 1, to), ...rest(sort) });
  return [
    ...(['fifo', 'turns', 'writer'] as const).flatMap((lock) => [
      make(
        'a notification with the lock held during a wait',
        [give(), take],
        lock === 'fifo' ? THREE_PREEMPTIONS : TWO_PREEMPTIONS,
        { lock },
      ),
      make(
        'a notification without the lock during a wait',
        [give(1, 'outside'), take],
        lock === 'fifo' ? ALL : TWO_PREEMPTIONS,
        { lock },
      ),
      make('a notification during a wait that may time out', [give(), tryTake], TWO_PREEMPTIONS, { lock }),
      make('a notification to a sleeper', [notify(), sleep], ALL, first(lock, 1)),
      make('a notification to a sleeper that may time out', [notify(), sleepTimed], ALL, first(lock, 1)),
      make('a notification during an abort', [notify(), waitOrAbort(lock)], THREE_PREEMPTIONS, {
        lock,
        ...rest(lock),
      }),
      make('one of two sleepers is notified', [notify(), sleep, sleep], TWO_PREEMPTIONS, first(lock, 2)),
      make(
        'one of two sleepers is notified, the first may time out',
        [notify(), sleepTimed, sleep],
        ONE_PREEMPTION,
        first(lock, 2),
      ),
      make(
        'both of two sleepers are notified, both may time out',
        [notify(2), sleepTimed, sleepTimed],
        ONE_PREEMPTION,
        first(lock, 2),
      ),
      make('two items for two waiters, all notified', [giveAll(2), sleep, sleep], TWO_PREEMPTIONS, {
        ...first(lock, 2),
        buckets: 2,
      }),
      make('two notifiers, two sleepers', [notify(), sleep, sleep, notify()], ONE_PREEMPTION, first(lock, 2)),
      make(
        'a sleeper is notified while another agent owns the lock',
        [notify(), sleep, pass],
        TWO_PREEMPTIONS,
        first(lock, 1),
      ),
      make(
        'a sleeper is notified while two agents pass the lock on',
        [notify(), sleep, pass, pass],
        ONE_PREEMPTION,
        first(lock, 1),
      ),
      make('one giver, two takers', [give(2), take, take], ONE_PREEMPTION, { lock }),
      make('one giver who notifies all, two takers', [giveAll(2), take, take], ONE_PREEMPTION, { lock }),
    ]),
    make(
      'a notification without the lock while a waiter ends its turn',
      [notify(), waitInTurn, pass],
      TWO_PREEMPTIONS,
      {
        lock: 'turns',
        ...rest('turns'),
      },
    ),
    make(
      'two notifications without the lock while a waiter ends its turn',
      [notify(2), sleep, waitInTurn, pass],
      TWO_PREEMPTIONS,
      first('turns', 1),
    ),
    ...(['fifo', 'turns'] as const).map((lock) =>
      make(
        'the mutex is freed while a notifier moves a waiter to it',
        [notify(), waitUnlessFreed, freeLock],
        TWO_PREEMPTIONS,
        {
          lock,
          stuck: () => undefined,
        },
      ),
    ),
    ...WRAPS.map((start) => make(`counters from ${start}`, [give(), take], ONE_PREEMPTION, { start })),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'condition', entry: new URL('entry.ts', import.meta.url), cases: conditionCases, mutants: MUTANTS },
];
