// Several locks at once. Every call acquires them one after the other, in one order for all agents (hold-order.ts).

import { acquireOneOf } from '../agent/observer.ts';
import { checkTimeout } from '../api/check.ts';
import { MisuseError, TimeoutError } from '../api/errors.ts';
import { hasCode } from '../api/has-code.ts';
import { Guard } from '../api/guard.ts';
import type { DoneOnReturn, NotPromise } from '../api/not-promise.ts';
import {
  ownerDiedIn,
  RUN_OPTIONS,
  waitIn,
  type OwnerDiedError,
  type OwnerDiedOptions,
  type RecoveryGuard,
  type RunOptions,
} from '../api/owner-died.ts';
import { checkAsyncBody, checkBody, isThenable, reportRejection } from '../api/run-body.ts';
import { checkWait, NO_WAIT_OPTIONS, type WaitOptions } from '../api/wait-options.ts';
import { now } from '../platform/clock.ts';
import { reasonOf } from '../api/on-abort.ts';
import { reserveStack } from '../platform/reserve-stack.ts';
import { HeldLocks } from './held-locks.ts';
import type { OwnedLock } from './owned-lock.ts';
import { repairThen, repairThenAsync, type PendingRepair, type Repair } from './pending-repair.ts';
import { planOf, type PlacedLock } from './hold-order.ts';

/** Options of `runAll`. */
export interface RunAllOptions {
  /**
   * Called with all locks held, after owners of `inherited` died, to repair the data that these locks protect.
   * `guard.markConsistent()` marks all of them.
   *
   * If all of them are marked consistent, the body runs. Otherwise `runAll` throws `OwnerDiedError`, and the next
   * owners get the notices. The guard is invalid after the function has ended. If the function returns a promise,
   * `runAll` throws `MisuseError`. Default: `runAll` throws `OwnerDiedError` without a repair.
   */
  readonly onOwnerDied?: ((guard: RecoveryGuard, inherited: readonly OwnedLock[]) => DoneOnReturn) | undefined;
}

/** Options of `runAllAsync`. */
export interface RunAllAsyncOptions extends WaitOptions {
  /** Repairs as `onOwnerDied` of `runAll` does, but may return a promise. */
  readonly onOwnerDied?:
    | ((guard: RecoveryGuard, inherited: readonly OwnedLock[]) => DoneOnReturn | PromiseLike<unknown>)
    | undefined;
}

type OnOwnersDied = (guard: RecoveryGuard, inherited: readonly OwnedLock[]) => unknown;

/**
 * Acquires several locks without a deadlock, blocking the calling thread until it holds all of them; returns one guard
 * that releases them. After C++'s `std::scoped_lock`.
 *
 * Every call acquires its locks one after the other in one order, that of arena, address and key. So calls never wait
 * for each other in a cycle, whatever locks they name and in whatever order. A cycle is still possible through a lock
 * that the caller's thread already holds, or for which another async call of the thread waits while this call blocks
 * it. `arena.findDeadlock()` finds cycles of owned locks, `findDeadlocks` of `@sluice/inspect` those of permits, too.
 *
 * - Each wait is in the line of its lock, with the fairness of that lock. While the call waits for a lock, it holds the
 *   locks before it.
 * - A lock may be given several times, as one object or as several. It is acquired once. Of the sides of one read-write
 *   lock the call acquires the strongest. Only permits add up: those of several `asLock` of one semaphore.
 * - If the call throws without a guard, it has released every lock that it acquired.
 *
 * ```ts run
 * import { holdAll, Semaphore } from '@sluice/core';
 *
 * const [files, sockets] = [Semaphore.create(2), Semaphore.create(8)];
 * const guard = holdAll([sockets.asLock(3), files.asLock()]);
 * console.log(files.available, sockets.available); // 1 5
 * guard.release();
 * console.log(files.available, sockets.available); // 2 8
 * ```
 *
 * @throws {TypeError} If `locks` is not an array of locks that have a position in an arena.
 * @throws {OwnerDiedError} If owners of some of the locks died. If the error has a guard, this agent holds all locks:
 *   repair the data, call `markConsistent` on the guard, release it.
 * @throws The other errors of `lock` of each lock.
 */
export function holdAll(locks: readonly PlacedLock[]): Guard {
  const plan = planOf('holdAll', locks);
  const held = new HeldLocks('holdAll', plan);
  acquireAll(held, plan, lockOne);
  return guardOf(held);
}

/**
 * Acquires several locks as `holdAll` does if all of them become available within `timeoutMs`; returns the guard, or
 * `null`. With 0, the default, it does not wait. If it returns `null`, it has released every lock that it acquired.
 *
 * @param timeoutMs - Milliseconds for all locks together, 0 or more; `Infinity` for no limit.
 * @throws The errors of `holdAll`, under the conditions of `tryLock`.
 */
export function tryHoldAll(locks: readonly PlacedLock[], timeoutMs = 0): Guard | null {
  const plan = planOf('tryHoldAll', locks);
  if (timeoutMs !== 0) checkTimeout(timeoutMs);
  const held = new HeldLocks('tryHoldAll', plan);
  const deadline = now() + timeoutMs;
  const left = timeoutMs === 0 ? () => 0 : () => leftUntil(deadline);
  const isHeld = acquireAll(held, plan, (lock) => lock.tryLock(left()));
  return isHeld ? guardOf(held) : null;
}

/**
 * Acquires several locks as `holdAll` does, without blocking the thread; resolves with the guard.
 *
 * If it rejects without a guard, it has released every lock that it acquired. Rejects as `holdAll` throws, and with `TimeoutError` or
 * `signal.reason`. The timeout is for all locks together.
 */
export async function holdAllAsync(
  locks: readonly PlacedLock[],
  options: WaitOptions = NO_WAIT_OPTIONS,
): Promise<Guard> {
  const plan = planOf('holdAllAsync', locks);
  const held = new HeldLocks('holdAllAsync', plan);
  await acquireAllAsync(held, plan, checkWait(options));
  return guardOf(held);
}

/**
 * Runs `body` with several locks held and returns its result; releases them even if `body` throws. Acquires them as
 * `holdAll` does.
 *
 * ```ts run
 * import { Region, runAll, Semaphore } from '@sluice/core';
 *
 * const accounts = Region.create(8).int32;
 * const locks = [0, 1].map((account) => Semaphore.create(1, { name: `account ${account}` }).asLock());
 * runAll(locks, () => {
 *   accounts[0] -= 10;
 *   accounts[1] += 10;
 * });
 * console.log(accounts[0], accounts[1]); // -10 10
 * ```
 *
 * @throws {MisuseError} If `body` is an async or generator function, or returns a thenable; use `runAllAsync`.
 * @throws The errors of `holdAll`, and of `onOwnerDied`. The call has released every lock that it acquired.
 */
export function runAll<T>(locks: readonly PlacedLock[], body: () => NotPromise<T>, options: RunAllOptions = {}): T {
  const plan = planOf('runAll', locks);
  const held = new HeldLocks('runAll', plan);
  checkBody(body, held, 'run', 'runAllAsync');
  const onOwnerDied = ownerDiedIn(options as OwnerDiedOptions);
  acquireAll(held, plan, lockOne);
  repairAll(held, onOwnerDied);
  let result: T;
  try {
    result = body();
  } finally {
    held.unlock();
  }
  if (!isThenable(result)) return result;
  throw promiseOf('body', result, held);
}

/**
 * Runs `body` with several locks held until the promise that `body` returns settles, without blocking the thread.
 * Acquires them as `holdAllAsync` does. They are released before the promise settles.
 *
 * Rejects as `holdAllAsync` does, and with the error of `onOwnerDied`.
 */
export async function runAllAsync<T>(
  locks: readonly PlacedLock[],
  body: () => T | PromiseLike<T>,
  options: RunAllAsyncOptions = NO_WAIT_OPTIONS,
): Promise<T> {
  const plan = planOf('runAllAsync', locks);
  const held = new HeldLocks('runAllAsync', plan);
  checkAsyncBody(body, held, 'run');
  const onOwnerDied = ownerDiedIn(options as RunOptions, RUN_OPTIONS);
  await acquireAllAsync(held, plan, checkWait(waitIn(options as RunOptions)));
  await repairAllAsync(held, onOwnerDied);
  try {
    return await body();
  } finally {
    held.unlock();
  }
}

function lockOne(lock: PlacedLock): boolean {
  lock.lock();
  return true;
}

/** Acquires the locks of a plan. If it returns false or throws, it has released all of them. */
function acquireAll(held: HeldLocks, plan: readonly PlacedLock[], acquire: (lock: PlacedLock) => boolean): boolean {
  reserveStack();
  for (const lock of plan) {
    try {
      if (!acquireOneOf(held, () => acquire(lock))) {
        held.decline();
        return false;
      }
      held.add(lock);
    } catch (failure) {
      orRelease(held, lock, failure);
    }
  }
  return true;
}

/** Acquires the locks of a plan as `acquireAll` does, without blocking. */
async function acquireAllAsync(held: HeldLocks, plan: readonly PlacedLock[], options: WaitOptions): Promise<void> {
  reserveStack();
  const { timeout = Infinity } = options;
  const deadline = timeout === Infinity ? Infinity : now() + timeout;
  for (const lock of plan) {
    try {
      await lock.lockAsync(deadline === Infinity ? options : { ...options, timeout: leftUntil(deadline) });
      held.add(lock);
    } catch (failure) {
      orRelease(held, lock, isOwnTimeout(failure, options) ? timedOut(held, timeout, failure) : failure);
    }
  }
}

/** Whether the timeout of the call has passed. The reason of an abort may be a `TimeoutError`, too. */
function isOwnTimeout(failure: unknown, { timeout = Infinity, signal }: WaitOptions): failure is TimeoutError {
  const isAborted = signal?.aborted === true && failure === reasonOf(signal);
  return timeout !== Infinity && !isAborted && hasCode(failure, 'SLUICE_TIMEOUT');
}

/** Goes on if `failure` came with the lock. Otherwise releases all locks and throws `failure`. */
function orRelease(held: HeldLocks, lock: PlacedLock, failure: unknown): void {
  try {
    held.addInherited(lock, failure);
  } catch {
    releaseQuietly(held);
    throw failure;
  }
}

function releaseQuietly(held: HeldLocks): void {
  try {
    held.decline();
  } catch {
    // Another task of this agent has released a lock by mistake. The error with which the call ends says more.
  }
}

function leftUntil(deadline: number): number {
  return deadline === Infinity ? Infinity : Math.max(0, deadline - now());
}

function timedOut(held: HeldLocks, timeout: number, failure: TimeoutError): TimeoutError {
  return new TimeoutError(`${String(held)}: timed out after ${timeout} ms. No lock was acquired. ${failure.message}`);
}

/** Returns the guard. Throws the notice if locks were inherited: its guard holds all locks. */
function guardOf(held: HeldLocks): Guard {
  if (held.inherited.length > 0) throw held.notice();
  return new Guard(held);
}

/**
 * Calls `onOwnerDied` if locks were inherited. If `repairAll` returns, all locks are consistent and held. If it throws,
 * none is held.
 */
function repairAll(held: HeldLocks, onOwnerDied: OnOwnersDied | undefined): void {
  if (held.inherited.length > 0)
    repairThen(held, {
      ...repairOf(held, onOwnerDied),
      refuse: (promise) => promiseOf('onOwnerDied', promise, held),
    });
}

async function repairAllAsync(held: HeldLocks, onOwnerDied: OnOwnersDied | undefined): Promise<void> {
  if (held.inherited.length > 0) await repairThenAsync(held, repairOf(held, onOwnerDied));
}

function repairOf(held: HeldLocks, onOwnerDied: OnOwnersDied | undefined): Omit<Repair, 'refuse'> {
  if (onOwnerDied === undefined) {
    held.decline();
    throw held.refused('The body was not called; the locks are free. Pass onOwnerDied to repair it.');
  }
  return {
    onOwnerDied: (guard) => onOwnerDied(guard, held.inherited),
    end: (repair, hasAccepted) => endRepair(held, repair, hasAccepted),
  };
}

/** Ends the repair. Keeps the locks only if `onOwnerDied` marked all of them consistent and did not throw. */
function endRepair(held: HeldLocks, repair: PendingRepair, hasAccepted: boolean): OwnerDiedError | undefined {
  repair.end();
  if (repair.wasReleased || held.hasLost) {
    releaseQuietly(held);
    return held.refused('onOwnerDied released the locks. The body was not called.');
  }
  const isDoubtful = held.isDoubtful;
  if (isDoubtful || !hasAccepted) held.decline();
  return isDoubtful
    ? held.refused('onOwnerDied did not mark all of them consistent. The body was not called; the locks are free.')
    : undefined;
}

/** Returns the error of a function that returned a promise. Call it after the locks were released, or release them. */
function promiseOf(what: string, promise: PromiseLike<unknown>, held: HeldLocks): MisuseError {
  reportRejection(promise, `the ${what} of ${String(held)}`);
  return new MisuseError(
    `${String(held)}: the ${what} returned a promise, and the locks are not held until it settles. Use runAllAsync. The promise is the cause of this error.`,
    { cause: promise },
  );
}
