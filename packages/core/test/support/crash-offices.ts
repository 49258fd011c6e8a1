// What operations at locks and box offices share: what the others do meanwhile, and locks whose owner died.

import type { OwnerDiedError } from '../../src/index.ts';
import { Death, type Meanwhile } from './crash.ts';
import type { Operation, Stage } from './crash-stage.ts';
import type { Agent } from './crash-world.ts';

function nothing(): void {
  // The victim does nothing more.
}

/** The victim dies with what `prepare` gave it, without doing anything more. */
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

/** One with so many deeds that to let two agents die in it takes too long. */
export function large(operation: Operation): Operation {
  return { ...operation, large: true };
}

/**
 * The victim gives up in the middle of what the living does: just before its step `walk`, when the permit is there and
 * the waiter has not been told, or another `step`.
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

/** What the living do in the victim's next sleeps. */
export function meanwhile(stage: Stage, ...actions: readonly Meanwhile[]): void {
  stage.life.meanwhile.push(...actions);
}

/** An agent has died that held the lock, and was recovered. */
export async function orphan(stage: Stage, lock: (agent: Agent) => { lock(): void }): Promise<void> {
  const owner = stage.world.join();
  lock(owner).lock();
  owner.life.die();
  stage.living.arena.reclaim(owner.context.id);
  await stage.settle();
}

/** The guard of an heir, `undefined` if it was refused. */
export function guardOf(call: () => unknown): OwnerDiedError['guard'] {
  try {
    call();
  } catch (failure) {
    if (typeof failure === 'object' && failure !== null && 'guard' in failure) return (failure as OwnerDiedError).guard;
    throw failure;
  }
  throw new Error('No notice came.');
}
