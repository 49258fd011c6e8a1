import { Semaphore } from '@sluice/core';
import { checkObject, checkOptions } from '@sluice/core/internal';
import { slotsOf, type LimitHandle } from './handle.ts';
import { limitOver, type Limit } from './limit.ts';
import { ATTACH_OPTIONS, checkConcurrency, checkRejectOnClear, type AttachOptions, type LimitOptions } from './options.ts';
import { SizedSlots } from './sized-slots.ts';
import { Slots } from './slots.ts';

/** The ways to a limit. */
export interface CreateLimit {
  /** A new limit. Throws `TypeError`, `RangeError` for the name, `ArenaFullError`. */
  (concurrency: number | LimitOptions): Limit;
  /** A new limit, with options beside its concurrency. */
  (concurrency: number, options: Omit<LimitOptions, 'concurrency'>): Limit;
  /** A limit over the permits of a semaphore, which others may use beside it. */
  (semaphore: Semaphore, options?: AttachOptions): Limit;
  /** The limit that another agent's handle leads to. Throws `HandleError`. */
  readonly from: (handle: LimitHandle, options?: AttachOptions) => Limit;
}

/**
 * A limit: a function that calls functions, so many at a time, counted over all agents that have it.
 *
 * Promises: first come, first served over all agents, each call from the moment it is made; a call that is given up while it
 * waits is never run and takes no slot with it; what an agent runs when it dies makes room for others when the agent is
 * recovered.
 *
 * ```ts run
 * import { createLimit } from '@sluice/limit';
 *
 * const limit = createLimit(2);
 * const squares = await limit.map([1, 2, 3], async (n) => n * n);
 * console.log(squares, await limit(Math.max, 4, 5), limit.activeCount); // [ 1, 4, 9 ] 5 0
 * ```
 */
export const createLimit: CreateLimit = /* @__PURE__ */ Object.assign(create, { from });

const LIMIT_OPTIONS: readonly (keyof LimitOptions)[] = ['concurrency', 'rejectOnClear', 'arena', 'name'];

function create(given: number | LimitOptions | Semaphore, options: Omit<LimitOptions, 'concurrency'> = {}): Limit {
  checkOptions(options, given instanceof Semaphore ? ATTACH_OPTIONS : LIMIT_OPTIONS);
  if (given instanceof Semaphore) return limitOver(new Slots(given), checkRejectOnClear(options));
  const chosen = typeof given === 'object' ? checkNoHandle(given) : { ...options, concurrency: given };
  checkOptions(chosen, LIMIT_OPTIONS);
  const permits = checkConcurrency(chosen.concurrency);
  const rejectOnClear = checkRejectOnClear(chosen);
  return limitOver(SizedSlots.create(permits, chosen.arena, chosen.name), rejectOnClear);
}

function from(handle: LimitHandle, options: AttachOptions = {}): Limit {
  checkOptions(options, ATTACH_OPTIONS);
  const rejectOnClear = checkRejectOnClear(options);
  return limitOver(slotsOf(handle), rejectOnClear);
}

/** For who looks for the other way in. */
function checkNoHandle(options: LimitOptions): LimitOptions {
  checkObject(options);
  const { kind } = options as { readonly kind?: unknown };
  if (kind === 'sluice.limit') throw new TypeError('This is the handle of a limit: use createLimit.from(handle).');
  if (kind === 'sluice.semaphore') {
    throw new TypeError('This is the handle of a semaphore: use createLimit(Semaphore.from(handle)).');
  }
  return options;
}
