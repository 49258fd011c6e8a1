// A once over all processes of a namespace. The steps of a once have the algorithm.

import { checkAsyncBody, checkWait, INSPECT, NO_WAIT_OPTIONS, refusePosting, show } from '@sluice/core/calls';
import { RemoteAttempts } from './attempts.ts';
import type { Request } from '../session/local-waiters.ts';
import type { Grant } from '../session/grant.ts';
import type { RemoteGuard } from './guard.ts';
import type { RemoteOnceLine } from '../line/once-line.ts';
import type { RemoteOnceReport } from '../report/once-report.ts';
import type { Namespace } from './namespace.ts';
import type { Timing } from '../engine/timing.ts';
import { UNPOSTABLE } from './unpostable.ts';

/**
 * The initialiser of a once. It gets a guard, whose `signal` is aborted if the lease is lost. Then another process may
 * begin an initialiser.
 */
export type RemoteInitialiser = (guard: RemoteGuard) => unknown;

export interface RemoteOnceOptions {
  /**
   * The time for which the once is: a `Date`, or ms since 1970. There is a once for each time, and its initialiser runs when
   * the clock of its process has reached that time.
   */
  readonly at: Date | number;
  /**
   * Whether another process runs its initialiser if the first one throws, or if its process dies. With `false`, the once
   * is done as soon as an initialiser begins. Default: `true`.
   */
  readonly rerun?: boolean | undefined;
}

/** Returns the time of the options in ms. Throws `TypeError` or `RangeError`. */
export function checkTime(title: string, at: unknown): number {
  const ms = isDate(at) ? at.getTime() : at;
  if (typeof ms !== 'number')
    throw new TypeError(`${title}: at must be a Date or a number of ms: received ${show(at)}`);
  if (!(Number.isInteger(ms) && ms >= 0 && ms <= LAST_TIME))
    throw new RangeError(`${title}: at must be a time in whole ms from 1970 on: received ${show(at)}`);
  return ms;
}

/** The last time that a `Date` has. */
const LAST_TIME = 8.64e15;

function isDate(value: unknown): value is Date {
  try {
    Date.prototype.getTime.call(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs an initialiser once, over all processes of a namespace: one process runs it, and all others wait until it has
 * returned. Made by `space.once`.
 *
 * - When an initialiser has returned, the once is done. Every later call returns at once.
 * - If it throws, the call that ran it rejects with the same error, and the longest waiter, or the next caller, tries
 *   with its own function.
 * - If its process dies or loses its lease, the next waiter tries when the lease ends. So more than one initialiser can
 *   begin. The data that an initialiser writes must become visible only when complete, or be protected by the guard's
 *   fencing token.
 * - The once stays done while any session that has used it lives, and for a week longer.
 *
 * With a time (`at`), it is a job that runs once in a fleet: at each time one process runs its initialiser. When the
 * once of a time is done, those of all earlier times are done, too, whether or not they have run.
 */
export class RemoteOnce {
  readonly name: string;
  readonly #attempts: RemoteAttempts;
  readonly #rerun: boolean;

  /** @internal */
  constructor(space: Namespace, line: RemoteOnceLine, request: Request, timing: Timing, rerun = true) {
    refusePosting(this, UNPOSTABLE);
    this.#attempts = new RemoteAttempts(space, line, request, timing);
    this.#rerun = rerun;
    this.name = line.name;
  }

  toString(): string {
    return this.#attempts.line.title;
  }

  /** Whether the once is done. Sends no command if this object already knows that it is done. */
  get isDone(): Promise<boolean> {
    return this.#attempts.isDone;
  }

  /**
   * Runs `initialiser` unless the once is done. Other processes wait until the promise that it returns has settled.
   * When the promise of the call resolves, the once is done.
   *
   * `timeout` and `signal` end a wait for another initialiser. They do not end the initialiser of this call. Rejects
   * with:
   *
   * - the error that `initialiser` throws: this attempt has failed;
   * - `LeaseLostError` if the lease ends before the server knows that the once is done: another process may have run
   *   its own initialiser;
   * - `TimeoutError`, `signal.reason`, `ClosedError` or `EngineError`, in the cases of a semaphore's `acquireAsync`.
   *
   * With a time, the call first waits until the clock of this process has reached it. An initialiser that awaits its own
   * once waits for itself.
   */
  async runAsync(initialiser: RemoteInitialiser, options = NO_WAIT_OPTIONS): Promise<void> {
    checkAsyncBody(initialiser, this, 'be initialised by');
    await this.#run(initialiser, await this.#attempts.enter(1, checkWait(options)));
  }

  /**
   * Runs an initialiser as `runAsync` does, but waits for another initialiser for at most `timeoutMs`. Resolves with
   * whether the once is done.
   *
   * With 0, the default, the call does not wait. It still runs `initialiser` if no process runs one. Before the time of
   * the once it runs nothing, and resolves with `false`.
   */
  async tryRun(initialiser: RemoteInitialiser, timeoutMs = 0): Promise<boolean> {
    checkAsyncBody(initialiser, this, 'be initialised by');
    const grant = await this.#attempts.tryEnter(1, timeoutMs);
    if (grant !== null) await this.#run(initialiser, grant);
    return grant !== null;
  }

  /** Waits until the once is done, without running an initialiser. A failed attempt does not end the wait. */
  async waitAsync(options = NO_WAIT_OPTIONS): Promise<void> {
    await this.#attempts.enter(0, checkWait(options));
  }

  /**
   * Waits as `waitAsync` does, for at most `timeoutMs`. With 0, the default, it does not wait. Resolves with whether
   * the once is done.
   */
  async tryWait(timeoutMs = 0): Promise<boolean> {
    return (await this.#attempts.tryEnter(0, timeoutMs)) !== null;
  }

  /** Resolves with a snapshot over all processes: the state, the session that runs an initialiser, the waiters. */
  async inspect(): Promise<RemoteOnceReport> {
    return { kind: 'once', ...(await this.#attempts.report()) };
  }

  /**
   * Closes the once for all processes, unless it is done: every waiter and every later call fails with `ClosedError`. A
   * running attempt fails at its end.
   *
   * Of a once with a time, it closes the job with all its times. Calls for a time that is done find it done.
   */
  close(): Promise<void> {
    return this.#attempts.close();
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  run(): never {
    throw this.#attempts.blocks('runAsync');
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  wait(): never {
    throw this.#attempts.blocks('waitAsync');
  }

  [INSPECT](): string {
    return `RemoteOnce { name: '${this.name}' }`;
  }

  async #run(initialiser: RemoteInitialiser, grant: Grant | undefined): Promise<void> {
    if (grant === undefined) return;
    const kept = String(this.#attempts.line.at ?? '');
    if (!this.#rerun) return this.#attempts.runStored(grant, kept, initialiser);
    await this.#attempts.run(grant, async (guard) => {
      await initialiser(guard);
      return kept;
    });
  }
}
