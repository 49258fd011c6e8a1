// Bodies of agents at a lock in a model.

import { changeBoth } from '../../../core/test/model/notice.ts';
import { enterOrAbort, giveUp, reclaim, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import type { LocksKernel } from '../../src/kinds.ts';
import type { LockActor, LockBody } from './lock-world.ts';

/** Owns the lock for a moment and unlocks. `summary`: the state that the body keeps from before. */
function stay(actor: LockActor, ...summary: number[]): void {
  visit(actor, 1, ...summary);
  actor.lock.unlock();
}

export const pass =
  (rounds = 1): LockBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      actor.lock.lock();
      stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** As `pass`, but may time out at any moment of its sleep. */
export const tryPass =
  (rounds = 1): LockBody =>
  (actor) => {
    for (let round = 0; round < rounds; round++) {
      if (actor.lock.tryLock(1)) stay(actor, round);
      actor.ctx.forget(round);
    }
  };

/** As `pass`, but unlocks only after that agent has ended. */
export const passAfter =
  (other: number): LockBody =>
  (actor) => {
    actor.lock.lock();
    actor.ctx.waitForDeath(other);
    stay(actor);
  };

/** Makes non-blocking calls. */
export const glance: LockBody = (actor) => {
  if (actor.lock.tryLock()) stay(actor);
};

export const passOrAbort: LockBody = (actor) => {
  const { kind, context, ctx, entry } = actor;
  if (enterOrAbort(actor, () => kind.enqueueAtMutex(context.kernel as LocksKernel, ctx.index), entry)) stay(actor);
};

/** The owner from the start. */
export const unlock: LockBody = (actor) => stay(actor);

/** Enqueued and asleep from the start. */
export const wait: LockBody = (actor) => {
  if (sleepOn(actor, actor.entry)) stay(actor);
};

/** As `wait`, but may time out. */
export const waitTimed: LockBody = (actor) => {
  if (sleepOn(actor, actor.entry, true)) stay(actor);
};

/** Cancels at once, and then makes a non-blocking call. */
export const leaveAndTry: LockBody = (actor) => {
  if (giveUp(actor, actor.entry)) stay(actor);
  actor.ctx.forget();
  if (actor.lock.tryLock(1)) stay(actor);
};

/** Cancels at once, and waits again until it gets the lock. */
export const leaveAndReturn: LockBody = (actor) => {
  if (giveUp(actor, actor.entry)) stay(actor);
  actor.ctx.forget();
  actor.lock.lock();
  stay(actor);
};

/** Cancels at once. */
export const leave: LockBody = (actor) => {
  if (giveUp(actor, actor.entry)) stay(actor);
};

/** Locks and changes both words. */
export const change: LockBody = (actor) =>
  changeBoth(actor, actor.lock, () => {
    actor.lock.lock();
    return true;
  });

/** As `change`, but may time out. */
export const tryChange: LockBody = (actor) => changeBoth(actor, actor.lock, () => actor.lock.tryLock(1));

/** The owner from the start. */
export const changeAsOwner: LockBody = (actor) => changeBoth(actor, actor.lock, () => true);

/** Enqueued and asleep from the start. It ignores its notification, so only a death may follow. */
export const waitCrashing: LockBody = (actor) => {
  if (sleepOn(actor, actor.entry)) actor.lock.unlock();
};

/** As `waitCrashing`, but may time out. */
export const leaveCrashing: LockBody = (actor) => {
  if (giveUp(actor, actor.entry)) actor.lock.unlock();
};

/** As `leaveCrashing`, and waits again. */
export const returnCrashing: LockBody = (actor) => {
  leaveCrashing(actor);
  actor.lock.lock();
  actor.lock.unlock();
};

/** Recovers an agent, and then claims an element if one is free. */
export const reclaimAndRefill =
  (victim: number): LockBody =>
  (actor) => {
    const { core, context } = actor;
    reclaim(victim)(actor);
    try {
      context.refill();
    } catch (error) {
      if (!core.hasCode(error, 'SLUICE_ARENA_FULL')) throw error;
    }
  };

/** Runs a body under the lock, or declines it. Then the next owner learns of the death. */
export const runInside: LockBody = (actor) => {
  const { core, lock } = actor;
  try {
    lock.run(() => changeBoth(actor, { unlock: () => undefined }, () => true));
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
  }
};
