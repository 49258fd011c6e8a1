// Scenarios in which agents die: before any kernel step, write or notification, or asleep. Whoever comes next is told, and is
// not told of an owner that never knew that it was one.

import type { Options, Words } from '@sluice/model';
import { HEALTH } from '../../../core/src/kernel/layout.ts';
import { CONSISTENT } from '../../../core/src/kernel/states.ts';
import { changeBoth, reclaim, sleepOn } from '../../../core/test/model/office-bodies.ts';
import type { OfficeSetup, Plan } from '../../../core/test/model/office-world.ts';
import { holdsAt } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/semaphore-cases.ts';
import { DIED_HOLDING } from '../../../core/test/model/witness.ts';
import { passOrAbort } from './mutex-cases.ts';
import { MUTEX, mutexWorld, ownedWith, recursiveWorld, type MutexActor, type MutexBody, type MutexCore } from './mutex-world.ts';

const ALL: Options = {};
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
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

/** Somebody was told, or the notice is kept for the next one. */
function checkNotice(words: Words, _outcomes: readonly unknown[], agents: number): string | undefined {
  const untold = [...Array(agents).keys()].some((agent) => words.get32(holdsAt(agent)) === DIED_HOLDING);
  const healthy = words.load32(MUTEX + HEALTH) === CONSISTENT;
  if (untold && healthy) return 'an owner died, and nobody will be told';
  return !untold && !healthy ? 'there is notice of a death that was none' : undefined;
}

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
      final: (words, outcomes) => checkNotice(words, outcomes, bodies.length),
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
    make('death of a waiter', [changeAsOwner, wait, change, reclaim(1)], TWO_PREEMPTIONS, { before: ownedWith(1), mortal: [1] }),
    make('death of an owner and of its heir', [change, change, change, reclaim(0, 1)], { preemptions: 0 }, both),
    make('death of one of three', [change, tryChange, change, reclaim(0)], ONE_PREEMPTION),
    make('death of a reclaimer', [change, reclaim(0), reclaim(1, 0)], ALL, both),
    make('death of a reclaimer while another waits', [change, change, reclaim(0), reclaim(2, 0)], { preemptions: 0 }, { mortal: [0, 2], deaths: 2 }),
  ];
}
