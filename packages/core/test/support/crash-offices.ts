// Helpers for operations at locks and box offices: actions of other agents during an operation, and locks whose owner
// died.

import type { OwnerDiedError } from '../../src/index.ts';
import { Death, type Meanwhile } from './crash.ts';
import type { Operation, Stage } from './crash-stage.ts';
import type { Agent } from './crash-world.ts';

function nothing(): void {
  // The victim performs no deed.
}

/** Returns an operation in which the victim dies without a deed, with what `prepare` gave it. */
export function suddenly(name: string, prepare: (stage: Stage) => void): Operation {
  return {
    name,
    async prepare(stage) {
      prepare(stage);
      await Promise.resolve();
      return nothing;
    },
  };
}

/** Marks an operation as large: it has so many deeds that a test with two deaths takes too long. */
export function large(operation: Operation): Operation {
  return { ...operation, large: true };
}

/**
 * The victim gives up during an action of the living agent: just before its step `walk`, or another `step`. Before
 * `walk` the permit is available and the waiter has not been told.
 */
export function leaveInTheMiddle({ living }: Stage, leave: () => void, act: () => void, step = 'walk'): void {
  let death: Death | undefined;
  living.life.before.set(step, () => {
    try {
      leave();
    } catch (failure) {
      if (!(failure instanceof Death)) throw failure;
      death = failure;
    }
  });
  act();
  if (death !== undefined) throw death;
}

/** Sets the actions of the living agents during the victim's next sleeps. */
export function meanwhile(stage: Stage, ...actions: readonly Meanwhile[]): void {
  stage.life.meanwhile.push(...actions);
}

/** Kills an agent that holds the lock, and recovers it. */
export async function orphan(stage: Stage, lock: (agent: Agent) => { lock(): void }): Promise<void> {
  const owner = stage.world.join();
  lock(owner).lock();
  owner.life.die();
  stage.living.arena.reclaim(owner.context.id);
  await stage.settle();
}

/** Returns the guard of an heir, or `undefined` if the call was refused. */
export function guardOf(call: () => unknown): OwnerDiedError['guard'] {
  try {
    call();
  } catch (failure) {
    if (typeof failure === 'object' && failure !== null && 'guard' in failure) return (failure as OwnerDiedError).guard;
    throw failure;
  }
  throw new Error('No notice came.');
}
