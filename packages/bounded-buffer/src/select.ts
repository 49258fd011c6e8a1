// The entry '@sluice/bounded-buffer/select': waiting for the first of several buffers, semaphores and events.

import { selected, type SelectOptions, type Selected, type Sources } from './select/selection.ts';
import { acquire, put, take, wait } from './select/sources.ts';

export type { Acquirable, SelectSource } from './select/sources.ts';
export type { Outcome, Source } from './select/source.ts';
export type { SelectOptions, Selected, Sources } from './select/selection.ts';

/** The functions that create sources. */
interface Select {
  /**
   * Ready when the buffer has a value. The selection takes the value.
   *
   * @throws {TypeError} If the argument is not a buffer.
   */
  readonly take: typeof take;
  /**
   * Ready when the buffer has room for the value. The selection puts the value in.
   *
   * @throws {TypeError} If the first argument is not a buffer, or for a value that the buffer refuses, as `push` does.
   * @throws {RangeError} For a value that the buffer refuses, as `push` does.
   */
  readonly put: typeof put;
  /**
   * Ready when `permits` (default 1) are free. The selection acquires them.
   *
   * @throws {TypeError} If an argument has the wrong type.
   * @throws {RangeError} If `permits` is out of range.
   */
  readonly acquire: typeof acquire;
  /**
   * Ready when a wait for the event or the latch would return. If the source is an auto-reset event, the selection
   * consumes its signal.
   *
   * @throws {TypeError} If the argument is neither an event nor a latch.
   */
  readonly wait: typeof wait;
}

/**
 * Creates the sources of `selectAsync`: `select.take(buffer)`, `select.put(buffer, value)`,
 * `select.acquire(semaphore)`, `select.wait(event)`.
 */
export const select: Select = /* @__PURE__ */ Object.freeze({ take, put, acquire, wait });

/**
 * Waits for the first of several sources that is ready, and takes from that source only.
 *
 * - It takes exactly one thing: a value, room for a value, permits, or a signal. It resolves with the key of the source
 *   and the value that the source gave.
 * - When it settles, all its other waits have ended, and took nothing. A losing source that was granted at the same
 *   moment gives its grant back: a buffer keeps its value at its place and admits the next head, a semaphore's permits
 *   are released to its next waiter, and an auto-reset event is signalled again.
 * - If several sources are ready at once, it chooses one at random, or with `order: 'listed'` the first in the list.
 * - At each source it waits in the line of all waiters there, and loses its place when another source wins.
 * - A source that is closed or fails counts as ready: the call rejects with its error. With `closed: 'skip'` the
 *   selection continues without a closed source, and the call rejects with `ClosedError` when all sources are closed.
 *
 * Rejects with `TypeError` or `RangeError` if an argument is wrong, with `TimeoutError` and with `signal.reason`. Then
 * nothing was taken. A grant that came before the timeout or the abort wins.
 *
 * It corresponds to Go's `select` and crossbeam's `Select`.
 *
 * ```ts run
 * import { BoundedBuffer } from '@sluice/bounded-buffer';
 * import { select, selectAsync } from '@sluice/bounded-buffer/select';
 * import { ManualResetEvent } from '@sluice/event';
 *
 * const jobs = BoundedBuffer.create<string>();
 * const stop = ManualResetEvent.create();
 * jobs.push('resize');
 * const first = await selectAsync({ job: select.take(jobs), stop: select.wait(stop) });
 * if (first.key === 'job') console.log(first.value); // resize
 * stop.set();
 * console.log((await selectAsync({ job: select.take(jobs), stop: select.wait(stop) })).key); // stop
 * ```
 */
export async function selectAsync<const Given extends Sources>(
  sources: Given,
  options: SelectOptions = {},
): Promise<Selected<Given>> {
  return (await selected(sources, options)) as Selected<Given>;
}
