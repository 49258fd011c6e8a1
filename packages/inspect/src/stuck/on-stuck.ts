// Calls a function of this thread when a wait of an arena is too old.

import type { Arena } from '@sluice/core';
import { checkFunction, checkInteger, LONGEST_MS } from '@sluice/core/calls';
import { chosenArena } from '@sluice/core/internal';
import { StuckWatch, type StuckReport } from './stuck-watch.ts';

/**
 * Calls `listener` when a wait of any agent of the arena is older than `ms`, once for each wait.
 *
 * The call comes within `ms` + 250 ms of the wait's beginning, as long as this thread's event loop turns. A thread that
 * blocks calls nothing: for a program whose threads all block, start a watchdog (`@sluice/inspect/watchdog`). Waits
 * that become too old within 100 ms of each other are in one report. The watch does not keep the process alive. It ends
 * with `stop`, at the end of a `using` block, and when this thread's agent leaves the arena.
 *
 * An error that `listener` throws is an uncaught error, and the watch continues. If the arena's memory is damaged, the
 * watch ends with an uncaught `CorruptArenaError`.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { onStuck } from '@sluice/inspect';
 *
 * const jobs = Semaphore.create(0, { name: 'jobs' });
 * const watch = onStuck(Arena.default(), 50, ({ waits: [wait] }) => {
 *   console.log(wait?.how, wait?.waitsFor.name); // async jobs
 *   jobs.release();
 * });
 * await jobs.acquireAsync();
 * watch.stop();
 * ```
 *
 * @param arena - The arena, or `undefined` for the realm's default arena.
 * @param ms - The age in ms, 1 to 2^31 − 1.
 * @throws {RangeError} If `ms` is out of range.
 * @throws {TypeError} If `arena` is no arena, `ms` is no number, or `listener` is no function.
 * @throws {MisuseError} If this thread's agent has left the arena.
 */
export function onStuck(arena: Arena | undefined, ms: number, listener: (report: StuckReport) => void): StuckWatch {
  const chosen = chosenArena(arena);
  checkInteger('ms', ms, 1, LONGEST_MS);
  checkFunction(listener);
  return new StuckWatch(chosen, ms, listener);
}
