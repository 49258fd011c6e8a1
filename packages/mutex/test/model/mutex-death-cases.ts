// Scenarios in which agents die: before any kernel step, write or notification, or asleep. The next owner is told of a
// dead owner, unless the dead agent never knew that it was the owner.

import type { Options, Words } from '@sluice/model';
import { HEALTH, OFFICE } from '../../../core/src/kernel/layout.ts';
import { CONSISTENT, UNRECOVERABLE } from '../../../core/src/kernel/states.ts';
import { changeBoth, checkNotice } from '../../../core/test/model/notice.ts';
import { reclaim, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import type { OfficeSetup, Plan } from '../../../core/test/model/office-world.ts';
import { TREASURE } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { MutexOrder } from '../../src/create-mutex.ts';
import { passOrAbort } from './mutex-cases.ts';
import {
  MUTEX,
  mutexWorld,
  NOTICE,
  ownedWith,
  recursiveWorld,
  titled,
  type MutexActor,
  type MutexBody,
  type MutexCore,
} from './mutex-world.ts';
import { DEATH_MUTANTS, TURN_DEATH_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };

/** Locks and changes both words. */
export const change: MutexBody = (actor) =>
  changeBoth(actor, actor.mutex, () => {
    actor.mutex.lock();
    return true;
  });

/** Like `change`, but may time out. */
export const tryChange: MutexBody = (actor) => changeBoth(actor, actor.mutex, () => actor.mutex.tryLock(1));

/** Like `change`, but locks the mutex twice. */
const changeDeep: MutexBody = (actor) =>
  changeBoth(actor, actor.mutex, () => {
    actor.mutex.lock();
    actor.mutex.lock();
    actor.ctx.step('locked twice');
    actor.mutex.unlock();
    return true;
  });

/** Is the owner from the start. */
export const changeAsOwner: MutexBody = (actor) => changeBoth(actor, actor.mutex, () => true);

/** Recovers agent 1, then claims that agent's element if it is free. */
const reclaimAndRefill: MutexBody = (actor) => {
  const { core, context } = actor;
  reclaim(1)(actor);
  try {
    context.refill();
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_ARENA_FULL')) throw error;
  }
};

/** Is asleep in line from the start. It ignores a notice, so deaths may only come after it. */
export const wait: MutexBody = (actor) => {
  if (sleepOn(actor, 0)) actor.mutex.unlock();
};

/** Is the owner from the start, and locks once more. */
const changeOn: MutexBody = (actor) => {
  changeAsOwner(actor);
  change(actor);
};

const changeTwice: MutexBody = (actor) => {
  change(actor);
  change(actor);
};

/** Is asleep in line from the start. */
const waitOn: MutexBody = (actor) => changeBoth(actor, actor.mutex, () => sleepOn(actor, 0));

/**
 * Takes over an unrecoverable mutex, whose two words differ, and makes them agree. The agent may die in between. An
 * agent that gets no guard finds the words repaired. With `dies`, an agent may die between the repair and the mark, and
 * then the next one repairs again.
 */
const takeOver =
  (dies = false): MutexBody =>
  (actor) => {
    const { core, ctx, mutex } = actor;
    const guard = mutex.takeOver();
    const agree = ctx.words.get32(TREASURE) === ctx.words.get32(TREASURE + 4);
    ctx.assert(guard !== null || agree, 'nothing was taken over, and the words differ');
    ctx.assert(guard === null || !agree || dies, 'a repaired mutex was taken over');
    if (guard === null) return;
    visit(actor);
    ctx.words.put32(TREASURE + 4, ctx.words.get32(TREASURE));
    try {
      guard.markConsistent();
      guard.release();
    } catch (error) {
      ctx.assert(
        !core.hasCode(error, 'SLUICE_MISUSE'),
        'the agent that took the mutex over does not own it, or has not inherited it',
      );
      throw error;
    }
  };

/** Gets an error, or arrives after the repair. */
const lockOrBeRefused: MutexBody = (actor) => {
  const { core, ctx, mutex } = actor;
  try {
    mutex.lock();
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
    ctx.assert((error as { guard?: unknown }).guard === undefined, 'no owner died, and a guard was given');
    return;
  }
  ctx.assert(ctx.words.get32(TREASURE) === ctx.words.get32(TREASURE + 4), 'an agent got the mutex before the repair');
  mutex.unlock();
};

/** An heir has unlocked without marking the mutex consistent. The words that it should have repaired differ. */
function ruined(words: Words): void {
  words.put32(TREASURE, 1);
  words.put32(MUTEX + HEALTH, UNRECOVERABLE);
  words.put64(MUTEX + OFFICE, NOTICE);
}

function checkRepaired(words: Words): string | undefined {
  return words.load32(MUTEX + HEALTH) === CONSISTENT ? checkAgreed(words) : 'the mutex is not consistent';
}

/** A dead agent may have found the mutex repaired, and leaves a notice of its death. */
function checkAgreed(words: Words): string | undefined {
  return words.get32(TREASURE) === words.get32(TREASURE + 4) ? undefined : 'the words still differ';
}

/** Runs a body with the mutex locked. If it declines, the next agent is told. */
const runInside: MutexBody = (actor) => {
  const { core, mutex } = actor;
  try {
    mutex.run(() => changeBoth(actor, { unlock: () => undefined }, () => true));
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
  }
};

export function mutexDeathCases(core: MutexCore, order: MutexOrder = 'fifo'): Case[] {
  const make = (
    name: string,
    bodies: readonly MutexBody[],
    options: Options,
    more: Partial<OfficeSetup & Plan<MutexActor>> = {},
    world = mutexWorld,
  ): Case =>
    world(core, { order, agents: bodies.length, ...more }).case({
      name: titled(name, order),
      bodies,
      options,
      mayCrash: [0],
      final: checkNotice,
      ...more,
    });
  const both = { mayCrash: [0, 1], deaths: 2 };
  return [
    make('one of two agents may die', [change, change, reclaim(0)], ALL),
    make('an agent that may time out may die', [tryChange, change, reclaim(0)], ALL),
    make('an agent may die while another may time out', [change, tryChange, reclaim(0)], ALL),
    make('an async waiter may die', [passOrAbort, change, reclaim(0)], ALL),
    make('an agent may die while another runs a body', [change, runInside, reclaim(0)], ALL),
    make('recursive, one of two agents may die', [changeDeep, changeDeep, reclaim(0)], ALL, {}, recursiveWorld),
    make('a waiter may die', [changeAsOwner, wait, reclaimAndRefill], ALL, {
      before: ownedWith(1),
      mayCrash: [1],
      elements: 2,
    }),
    make('a waiter with another behind it may die', [changeAsOwner, wait, change, reclaim(1)], ONE_PREEMPTION, {
      before: ownedWith(1),
      mayCrash: [1],
    }),
    ...(order === 'fifo'
      ? []
      : [
          make('an owner whose turn is due may die', [changeTwice, change, reclaim(0)], TWO_PREEMPTIONS),
          make('a successor may die', [changeOn, waitOn, change, reclaim(1)], ONE_PREEMPTION, {
            before: ownedWith(1),
            mayCrash: [1],
          }),
        ]),
    make('two agents take over at the same time', [takeOver(), takeOver()], ALL, {
      before: ruined,
      mayCrash: [],
      final: checkRepaired,
    }),
    make('two agents take over while another locks', [takeOver(), takeOver(), lockOrBeRefused], TWO_PREEMPTIONS, {
      before: ruined,
      mayCrash: [],
      final: checkRepaired,
    }),
    make('an agent that takes over may die', [takeOver(true), takeOver(true), reclaim(0)], ALL, {
      before: ruined,
      final: checkAgreed,
    }),
    make('an owner and its heir may die', [change, change, change, reclaim(0, 1)], { preemptions: 0 }, both),
    make('one of three agents may die', [change, tryChange, change, reclaim(0)], ONE_PREEMPTION),
    make('a reclaimer may die', [change, reclaim(0), reclaim(1, 0)], ALL, both),
    make(
      'a reclaimer may die while another agent waits',
      [change, change, reclaim(0), reclaim(2, 0)],
      { preemptions: 0 },
      { mayCrash: [0, 2], deaths: 2 },
    ),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'mutex death', entry: ENTRY, cases: mutexDeathCases, mutants: DEATH_MUTANTS },
  {
    name: 'mutex in turns, death',
    entry: ENTRY,
    cases: (source: MutexCore) => mutexDeathCases(source, 'turns'),
    mutants: TURN_DEATH_MUTANTS,
  },
];
