// Ends a blocking call that closes a certain deadlock, instead of letting it wait for ever.

import type { Arena } from '@sluice/core';
import { dispose } from '@sluice/core/calls';
import { chosenArena, contextOf } from '@sluice/core/internal';
import { deadlocksIn, type Deadlock } from './deadlocks.ts';
import { deadlocksOf, readGraph } from '../report/read-graph.ts';
import { nameOf } from '../report/wording.ts';

/** A search that is switched on. */
export interface DeadlockDetection {
  /** Switches the search off for this thread. A second call does nothing. */
  stop(): void;
  [dispose](): void;
}

const NO_DEAD: ReadonlySet<number> = new Set();

/**
 * Lets this thread's blocking calls throw `DeadlockError` if they close a certain deadlock.
 *
 * A call that finds its lock or permits taken, and has no timeout, looks for a deadlock each time before it sleeps. If
 * the wait closes a deadlock that `findDeadlocks` reports as certain, the call leaves the line and throws. The call
 * takes nothing, and the thread still holds what it held before. The message names each thread, what it holds and what
 * it waits for.
 *
 * Call it in each thread whose calls are to throw. If two threads close a deadlock at the same moment, both may throw.
 * A wait of another thread counts even if it has a timeout. If threads release permits that others acquired, create the
 * semaphore with `recovery: false`: its holders are not known then, and it is part of no certain deadlock. A deadlock
 * can become certain later, for example when a thread outside of it ends. Such a deadlock is not found.
 *
 * Calls that find their lock free pay nothing. A call that has to wait pays the time of `findDeadlocks`, so this is for
 * tests and for development. A later call in the same thread replaces an earlier one. Conditions, barriers, latches,
 * waits on addresses and the semaphores of `@sluice/classics` do not search.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { detectDeadlocks } from '@sluice/inspect';
 *
 * const arena = Arena.create();
 * const detection = detectDeadlocks(arena);
 * const only = Semaphore.create(1, { arena, name: 'only' });
 * only.acquire();
 * try {
 *   only.acquire(); // waits for the permit that this thread holds
 * } catch (error) {
 *   console.log(error.code); // SLUICE_DEADLOCK
 * }
 * detection.stop();
 * ```
 *
 * @param arena - Default: the realm's default arena.
 * @throws {TypeError} If `arena` is no arena.
 * @throws {MisuseError} If this thread's agent has left the arena.
 */
export function detectDeadlocks(arena?: Arena): DeadlockDetection {
  const chosen = chosenArena(arena);
  const context = contextOf(chosen);
  const search = (): string | undefined => {
    const isOwn = ({ certain, agents }: { readonly certain: boolean; readonly agents: readonly number[] }): boolean =>
      certain && agents.includes(context.id);
    // Most waits close no deadlock. So the first look does not ask which agents are alive.
    if (!deadlocksOf(readGraph(context, NO_DEAD)).some(isOwn)) return undefined;
    const deadlock = deadlocksIn(chosen, context.id).find(isOwn);
    return deadlock === undefined ? undefined : describe(deadlock);
  };
  context.closedDeadlock = search;
  const stop = (): void => {
    if (context.closedDeadlock === search) context.closedDeadlock = undefined;
  };
  return { stop, [dispose]: stop };
}

function describe({ waits }: Deadlock): string {
  const texts = waits.map(({ title, waitsFor }, at) => {
    const holder = waits[(at + 1) % waits.length]?.title ?? title;
    return `${title} waits for ${nameOf(waitsFor)}, which ${holder} holds`;
  });
  return texts.join('; ');
}
