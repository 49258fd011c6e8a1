import { Semaphore } from '@sluice/core';
import { checkObject, checkOptions, wrongInstance } from '@sluice/core/internal';
import { type LimitHandle } from './handle.ts';
import { slotsOf } from './open.ts';
import { limitOver, type Limit } from './limit.ts';
import { ATTACH_OPTIONS, checkConcurrency, checkRejectOnClear, LIMIT_OPTIONS, type AttachOptions, type LimitOptions } from './options.ts';
import { SizedSlots } from './sized-slots.ts';
import { Slots } from './slots.ts';

/** The overloads of `createLimit`. */
export interface CreateLimit {
  /**
   * Creates a limit.
   *
   * @throws {TypeError} For options that are not valid.
   * @throws {RangeError} For a name of more than 60 bytes.
   * @throws {ArenaFullError} If the arena has no room for the limit.
   */
  (concurrency: number | LimitOptions): Limit;
  /** Creates a limit, with options beside its concurrency. Throws the same errors. */
  (concurrency: number, options: Omit<LimitOptions, 'concurrency'>): Limit;
  /** Creates a limit whose slots are the permits of a semaphore. Other code may use the semaphore directly, too. */
  (semaphore: Semaphore, options?: AttachOptions): Limit;
  /**
   * Opens the limit of a handle from another agent.
   *
   * @throws {HandleError} If the handle is not that of a limit.
   */
  readonly from: (handle: LimitHandle, options?: AttachOptions) => Limit;
}

/**
 * Creates a limit (a concurrency limiter): a function that calls functions. At most `concurrency` of these run at a time, over all agents that
 * share the limit.
 *
 * The calls of one agent start in the order in which they were made. Agents with waiting calls take turns, call by call. A call that is cancelled
 * while it waits never runs and takes no slot. If an agent dies, its recovery releases the slots of its running functions.
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

function create(given: number | LimitOptions | Semaphore, options: Omit<LimitOptions, 'concurrency'> = {}): Limit {
  if (given instanceof Semaphore) {
    checkOptions(options, ATTACH_OPTIONS);
    return limitOver(new Slots(given), checkRejectOnClear(options));
  }
  for (const each of [given, options]) refuseInterval(each);
  return limitOfSize(choose(given, options, LIMIT_OPTIONS));
}

/** Returns the options of a new limit, from either form of the call. Throws `TypeError`. */
export function choose<Options extends object>(given: number | Options, options: object, names: readonly string[]): Options {
  checkOptions(options, names);
  const chosen = typeof given === 'object' ? checkNoHandle(given) : ({ ...options, concurrency: given } as object as Options);
  checkOptions(chosen, names);
  return chosen;
}

/** Creates a limit without an interval. */
export function limitOfSize(options: LimitOptions): Limit {
  const permits = checkConcurrency(options.concurrency);
  const rejectOnClear = checkRejectOnClear(options);
  return limitOver(SizedSlots.create(permits, options.arena, options.name), rejectOnClear);
}

/** Throws for options of an interval. Otherwise a program that was written for p-queue would run without its interval. */
function refuseInterval(options: unknown): void {
  if (typeof options !== 'object' || options === null || !('interval' in options || 'intervalCap' in options)) return;
  throw new TypeError('A limit with an interval is made by another import: take createLimit from @sluice/limit/interval.');
}

function from(handle: LimitHandle, options: AttachOptions = {}): Limit {
  checkOptions(options, ATTACH_OPTIONS);
  const rejectOnClear = checkRejectOnClear(options);
  return limitOver(slotsOf(handle), rejectOnClear);
}

/** Throws if the options are a handle or a foreign semaphore. The message names the right function. */
function checkNoHandle<Options extends object>(options: Options): Options {
  checkObject(options);
  const { kind, handle } = options as { readonly kind?: unknown; readonly handle?: { readonly kind?: unknown } | null };
  if (kind === 'sluice.limit') throw new TypeError('This is the handle of a limit: use createLimit.from(handle).');
  if (kind === 'sluice.semaphore') {
    throw new TypeError('This is the handle of a semaphore: use createLimit(Semaphore.from(handle)).');
  }
  if (handle?.kind === 'sluice.semaphore') throw wrongInstance('The semaphore', 'Semaphore', 'sluice.semaphore', options);
  return options;
}
