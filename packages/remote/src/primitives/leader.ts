// One leader over all processes of a namespace: the holder of a lock, and the function that it runs while it leads.

import type { WaitOptions } from '@sluice/core';
import { isError, offAbort, onAbort, reasonOf, throwIfAborted } from '@sluice/core/calls';

/** What a leader gets beside its signal. */
export interface LeaderTerm {
  /** Greater than that of every earlier leader. Give it to the resource, which refuses a smaller one. */
  readonly fencingToken: bigint;
  /**
   * Checks that the lease has not ended, as `RemoteGuard.assertHeld` does.
   *
   * @throws {LeaseLostError} If another process may lead by now.
   */
  assertHeld(): void;
}

/** The guard of the lock, as this file uses it. */
interface Held extends LeaderTerm {
  readonly signal: AbortSignal;
  readonly held: boolean;
  release(): Promise<void>;
}

/** The lock that the leader holds. */
export interface LeaderLock {
  holdAsync(options: WaitOptions): Promise<Held>;
}

export interface LeaderOptions {
  /** Ends the candidacy, or aborts the signal of the body. The call then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the wait keeps the process alive. Default: `true`. */
  readonly ref?: boolean | undefined;
}

/**
 * Waits until this process leads, then runs `body`. If the leadership is lost, waits until `body` has settled, and is a
 * candidate again. Otherwise the result of `body` is that of the call, and the next candidate leads.
 */
export async function lead<T>(
  lock: LeaderLock,
  body: (signal: AbortSignal, leadership: LeaderTerm) => T | PromiseLike<T>,
  { signal, ref }: LeaderOptions,
): Promise<T> {
  for (;;) {
    const guard = await lock.holdAsync({ signal, ref });
    const stop = new AbortController();
    const pass = (): void => stop.abort(reasonOf(signal));
    const lose = (): void => stop.abort(guard.signal.reason);
    if (guard.signal.aborted) lose();
    onAbort(signal, pass);
    onAbort(guard.signal, lose);
    try {
      const result = await body(stop.signal, guard);
      throwIfAborted(signal);
      if (guard.held) return result;
    } catch (failure) {
      throwIfAborted(signal);
      if (!guard.signal.aborted || !isCausedBy(failure, guard.signal.reason)) throw failure;
    } finally {
      offAbort(signal, pass);
      offAbort(guard.signal, lose);
      // A lost leadership cannot be released. The caller must see the failure of the body.
      await guard.release().catch(() => undefined);
    }
  }
}

/**
 * Whether a body rejected only because its signal was aborted with that reason. Then the leadership was lost, and the
 * body itself did not fail. Waits of Node.js reject with an `AbortError` that has the reason as its cause.
 */
function isCausedBy(failure: unknown, reason: unknown): boolean {
  return failure === reason || (isError(failure) && failure.cause === reason);
}
