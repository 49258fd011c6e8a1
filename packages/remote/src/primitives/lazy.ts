// A value computed once over all processes of a namespace. The steps of a once have the algorithm.

import { hasCode } from '@sluice/core';
import { checkAsyncBody, checkWait, INSPECT, NO_WAIT_OPTIONS, refusePosting } from '@sluice/core/calls';
import { RemoteAttempts } from './attempts.ts';
import type { Request } from '../session/local-waiters.ts';
import type { Grant } from '../session/grant.ts';
import type { RemoteGuard } from './guard.ts';
import { Packing, type RemoteLazyOptions } from './lazy-value.ts';
import type { RemoteOnceLine } from '../line/once-line.ts';
import type { RemoteLazyReport } from '../report/once-report.ts';
import type { Namespace } from './namespace.ts';
import type { Timing } from '../engine/timing.ts';
import { UNPOSTABLE } from './unpostable.ts';

/**
 * Computes the value of a lazy. It gets a guard, whose `signal` is aborted if the lease is lost. Then another process
 * may begin to compute the value.
 */
export type RemoteLazyInitialiser<T> = (guard: RemoteGuard) => T | PromiseLike<T>;

/**
 * A value that is computed once over all processes of a namespace, when a process first needs it. All processes get the
 * same value. `space.lazy` creates it.
 *
 * - One process computes the value. The others wait for it.
 * - If its initialiser throws, the call that ran it rejects with the same error, and the longest waiter, or the next
 *   caller, tries with its own function.
 * - If its process dies or loses its lease, the next waiter tries when the lease ends. So more than one initialiser can
 *   begin. The first value that reaches the server is the value of all processes.
 * - The value never changes. Each object decodes it once; its later calls return the same object and send no command.
 * - The value stays while any session that has used it lives, and for a week longer.
 */
export class RemoteLazy<T> {
  readonly name: string;
  readonly #attempts: RemoteAttempts;
  readonly #packing: Packing<T>;

  /** @internal */
  constructor(space: Namespace, line: RemoteOnceLine, request: Request, timing: Timing, options: RemoteLazyOptions<T>) {
    refusePosting(this, UNPOSTABLE);
    this.#packing = new Packing(line.title, options);
    this.#attempts = new RemoteAttempts(space, line, request, timing);
    this.name = line.name;
  }

  toString(): string {
    return this.#attempts.line.title;
  }

  /** Whether there is a value. Sends no command if this object already knows that there is one. */
  get isDone(): Promise<boolean> {
    return this.#attempts.isDone;
  }

  /** The value, or `undefined` if there is none. Does not wait for an initialiser. */
  get value(): Promise<T | undefined> {
    return this.tryWait().catch((failure: unknown) => {
      if (hasCode(failure, 'SLUICE_CLOSED')) return undefined;
      throw failure;
    });
  }

  /**
   * Resolves with the value. If there is none, it runs `initialiser` and stores the result, or waits while another
   * process runs its own initialiser.
   *
   * `timeout` and `signal` end a wait for another initialiser. They do not end the initialiser of this call. Rejects
   * with:
   *
   * - the errors of `initialiser` and the codec, `TypeError` if the codec cannot represent the value, and `RangeError`
   *   if it is larger than the capacity: this attempt has failed;
   * - `LeaseLostError` if the lease ends before the server has the value: another process may have computed its own;
   * - `MisuseError` if another process computed the value with another codec;
   * - `TimeoutError`, `signal.reason`, `ClosedError` or `EngineError`, in the cases of a semaphore's `acquireAsync`.
   *
   * An initialiser that awaits its own lazy waits for itself.
   */
  async getAsync(initialiser: RemoteLazyInitialiser<T>, options = NO_WAIT_OPTIONS): Promise<T> {
    checkAsyncBody(initialiser, this, 'be initialised by');
    await this.#compute(initialiser, await this.#attempts.enter(1, checkWait(options)));
    return this.#read();
  }

  /**
   * Gets the value as `getAsync` does, but waits for another initialiser for at most `timeoutMs`. Resolves with
   * `undefined` if there is no value by then.
   *
   * With 0, the default, the call does not wait. It still runs `initialiser` if no process runs one.
   */
  async tryGet(initialiser: RemoteLazyInitialiser<T>, timeoutMs = 0): Promise<T | undefined> {
    checkAsyncBody(initialiser, this, 'be initialised by');
    const grant = await this.#attempts.tryEnter(1, timeoutMs);
    if (grant === null) return undefined;
    await this.#compute(initialiser, grant);
    return this.#read();
  }

  /**
   * Waits until there is a value, and resolves with it. Runs no initialiser. A failed attempt does not end the wait.
   */
  async waitAsync(options = NO_WAIT_OPTIONS): Promise<T> {
    await this.#attempts.enter(0, checkWait(options));
    return this.#read();
  }

  /**
   * Waits as `waitAsync` does, for at most `timeoutMs`. With 0, the default, it does not wait. Resolves with
   * `undefined` if there is no value by then.
   */
  async tryWait(timeoutMs = 0): Promise<T | undefined> {
    return (await this.#attempts.tryEnter(0, timeoutMs)) === null ? undefined : this.#read();
  }

  /** Resolves with a snapshot over all processes: the state, the session that runs an initialiser, the waiters. */
  async inspect(): Promise<RemoteLazyReport> {
    const { codec, capacity } = this.#packing;
    return { kind: 'lazy', ...(await this.#attempts.report()), codec: codec.name, capacity };
  }

  /**
   * Closes the lazy for all processes, unless it has a value: every waiter and every later call fails with
   * `ClosedError`. A running attempt fails at its end.
   */
  close(): Promise<void> {
    return this.#attempts.close();
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  get(): never {
    throw this.#attempts.blocks('getAsync');
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
    return `RemoteLazy { name: '${this.name}', codec: '${this.#packing.codec.name}' }`;
  }

  async #compute(initialiser: RemoteLazyInitialiser<T>, grant: Grant | undefined): Promise<void> {
    if (grant !== undefined)
      await this.#attempts.run(grant, async (guard) => this.#packing.pack(await initialiser(guard)));
  }

  #read(): T {
    return this.#packing.read(this.#attempts.kept ?? '');
  }
}
