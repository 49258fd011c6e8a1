// Scenarios in which agents die: before any kernel step, write or notification, or asleep. Whoever comes next is told, and is
// not told of an owner that never knew that it was one.

import type { Options } from '@sluice/model';
import { changeBoth, checkNotice } from '../../../core/test/model/notice.ts';
import { reclaim, sleepOn } from '../../../core/test/model/office-bodies.ts';
import type { OfficeSetup, Plan } from '../../../core/test/model/office-world.ts';
import type { Case } from '../../../core/test/model/semaphore-cases.ts';
import { passOrAbort } from './mutex-cases.ts';
import { mutexWorld, ownedWith, recursiveWorld, type MutexActor, type MutexBody, type MutexCore } from './mutex-world.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };

/** Locks and changes both words. */
const change: MutexBody = (actor) =>
  changeBoth(actor, actor.mutex, () => {
    actor.mutex.lock();
    return true;
  });

/** As `change`, but may give up. */
const tryChange: MutexBody = (actor) => changeBoth(actor, actor.mutex, () => actor.mutex.tryLock(1));

/** As `change`, by a mutex that it locks twice. */
const changeDeep: MutexBody = (actor) =>
  changeBoth(actor, actor.mutex, () => {
    actor.mutex.lock();
    actor.mutex.lock();
    actor.ctx.step('locked twice');
    actor.mutex.unlock();
    return true;
  });

/** Owner from the start. */
const changeAsOwner: MutexBody = (actor) => changeBoth(actor, actor.mutex, () => true);

/** Recovers agent 1, and then takes its element, if that is free. */
const reclaimAndRefill: MutexBody = (actor) => {
  const { core, seat } = actor;
  reclaim(1)(actor);
  try {
    seat.refill();
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_ARENA_FULL')) throw error;
  }
};

/** Asleep in line from the start; its notice is not looked at, so it may only be followed by a death. */
const wait: MutexBody = (actor) => {
  if (sleepOn(actor, 0)) actor.mutex.unlock();
};

/** Runs a body in the mutex, or declines: then whoever comes next is told. */
const runInside: MutexBody = (actor) => {
  const { core, mutex } = actor;
  try {
    mutex.run(() => changeBoth(actor, { unlock: () => undefined }, () => true));
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
  }
};

export function mutexDeathCases(core: MutexCore): Case[] {
  const make = (
    name: string,
    bodies: readonly MutexBody[],
    options: Options,
    more: Partial<OfficeSetup & Plan<MutexActor>> = {},
    world = mutexWorld,
  ): Case =>
    world(core, { agents: bodies.length, ...more }).case({
      name,
      bodies,
      options,
      mortal: [0],
      final: checkNotice,
      ...more,
    });
  const both = { mortal: [0, 1], deaths: 2 };
  return [
    make('death of one of two', [change, change, reclaim(0)], ALL),
    make('death of one that may give up', [tryChange, change, reclaim(0)], ALL),
    make('death beside one that may give up', [change, tryChange, reclaim(0)], ALL),
    make('death of an async waiter', [passOrAbort, change, reclaim(0)], ALL),
    make('death beside one that runs a body', [change, runInside, reclaim(0)], ALL),
    make('recursive, death of one of two', [changeDeep, changeDeep, reclaim(0)], ALL, {}, recursiveWorld),
    make('death of a waiter', [changeAsOwner, wait, reclaimAndRefill], ALL, { before: ownedWith(1), mortal: [1], elements: 2 }),
    make('death of a waiter before another', [changeAsOwner, wait, change, reclaim(1)], ONE_PREEMPTION, {
      before: ownedWith(1),
      mortal: [1],
    }),
    make('death of an owner and of its heir', [change, change, change, reclaim(0, 1)], { preemptions: 0 }, both),
    make('death of one of three', [change, tryChange, change, reclaim(0)], ONE_PREEMPTION),
    make('death of a reclaimer', [change, reclaim(0), reclaim(1, 0)], ALL, both),
    make(
      'death of a reclaimer while another waits',
      [change, change, reclaim(0), reclaim(2, 0)],
      { preemptions: 0 },
      { mortal: [0, 2], deaths: 2 },
    ),
  ];
}
