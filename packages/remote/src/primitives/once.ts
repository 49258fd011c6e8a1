// A once over all processes of a namespace. The steps of a once have the algorithm.

import { checkAsyncBody, checkWait, INSPECT, NO_WAIT_OPTIONS, refusePosting } from '@sluice/core/calls';
import { RemoteAttempts } from './attempts.ts';
import type { Request } from '../session/local-waiters.ts';
import type { Grant } from '../session/grant.ts';
import type { RemoteGuard } from './guard.ts';
import type { RemoteOnceLine } from '../line/once-line.ts';
import { reportOnce, type RemoteOnceReport } from '../report/once-report.ts';
import type { Namespace } from './namespace.ts';
import { UNPOSTABLE } from './unpostable.ts';

/**
 * The initialiser of a once. It gets a guard, whose `signal` is aborted if the lease is lost. Then another process may
 * begin an initialiser.
 */
export type RemoteInitialiser = (guard: RemoteGuard) => unknown;

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
 */
export class RemoteOnce {
  readonly name: string;
  readonly #attempts: RemoteAttempts;

  /** @internal */
  constructor(space: Namespace, line: RemoteOnceLine, request: Request) {
    refusePosting(this, UNPOSTABLE);
    this.#attempts = new RemoteAttempts(space, line, request);
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
   * An initialiser that awaits its own once waits for itself.
   */
  async runAsync(initialiser: RemoteInitialiser, options = NO_WAIT_OPTIONS): Promise<void> {
    checkAsyncBody(initialiser, this, 'be initialised by');
    await this.#run(initialiser, await this.#attempts.enter(1, checkWait(options)));
  }

  /**
   * Runs an initialiser as `runAsync` does, but waits for another initialiser for at most `timeoutMs`. Resolves with
   * whether the once is done.
   *
   * With 0, the default, the call does not wait. It still runs `initialiser` if no process runs one.
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
    return { kind: 'once', ...reportOnce(this.name, await this.#attempts.look()) };
  }

  /**
   * Closes the once for all processes, unless it is done: every waiter and every later call fails with `ClosedError`. A
   * running attempt fails at its end.
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
    await this.#attempts.run(grant, async (guard) => {
      await initialiser(guard);
      return '';
    });
  }
}
