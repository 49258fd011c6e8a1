// The session of a space: the first call opens it, and the first call after its loss opens the next one. Waits begin in
// the session whose lease runs.

import type { WaitOptions } from '@sluice/core';
import { asError, keepAlive, letGo } from '@sluice/core/calls';
import { EngineError, NotRun } from '../engine/errors.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';
import type { Grant } from './grant.ts';
import { Session, type SessionOptions } from './session.ts';
import { withBounds } from './wait-bounds.ts';
import { Wait } from './wait.ts';

export class CurrentSession {
  readonly #options: SessionOptions;
  #session: Session | undefined;
  #opening: Promise<Session> | undefined;
  #closed: Error | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Resolves with the session whose lease runs. Opens one if the last session was lost. */
  get(): Promise<Session> {
    const live = this.#live();
    if (live !== undefined) return Promise.resolve(live);
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Makes a call, and once more if `isLost` says of its failure that the session was lost. */
  async twice<T>(call: (session: Session) => Promise<T>, isLost: (failure: unknown) => boolean): Promise<T> {
    try {
      return await call(await this.get());
    } catch (failure) {
      if (!isLost(failure)) throw failure;
      return call(await this.get());
    }
  }

  /**
   * Makes one wait at the server. If there is a session, the call is sent without a pause, so that calls reach the
   * server in the order in which they were made.
   *
   * If that session ends before the wait has a place in line, the wait has lost nothing, and begins once more. `began` is
   * the time of the call, if it has waited before.
   */
  readonly request = (
    line: RemotePrimitive,
    permits: number,
    options: WaitOptions,
    began = this.#options.timing.now(),
  ): Promise<Grant | undefined> => {
    try {
      const live = this.#live();
      const granted =
        live === undefined
          ? this.#requestOpened(line, permits, options, began)
          : Wait.begin(live, this.#options.timing, line, permits, options, began);
      return granted.catch((failure: unknown) => {
        if (!(failure instanceof NotRun)) throw failure;
        return this.#requestOpened(line, permits, options, began);
      });
    } catch (failure) {
      return Promise.reject(asError(failure));
    }
  };

  /** Closes the session. All later calls fail with `reason`. A second call does nothing. */
  async close(reason: Error): Promise<void> {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    const opening = await this.#opening?.catch(() => undefined);
    await (this.#session ?? opening)?.close(reason);
    this.#options.engine.close();
  }

  #live(): Session | undefined {
    if (this.#closed !== undefined) throw this.#closed;
    return this.#session?.ended === undefined ? this.#session : undefined;
  }

  async #open(): Promise<Session> {
    keepAlive();
    try {
      this.#session = await Session.open(this.#options, this.#session);
    } catch (cause) {
      if (cause instanceof EngineError) throw cause;
      throw this.#options.engine.unreachable(cause);
    } finally {
      letGo();
    }
    return this.#session;
  }

  async #requestOpened(
    line: RemotePrimitive,
    permits: number,
    options: WaitOptions,
    began: number,
  ): Promise<Grant | undefined> {
    const { timing } = this.#options;
    const timedOut = (): Error => line.timedOut(permits, options.timeout ?? 0);
    const session = await withBounds(this.get(), timing, options, timedOut, began);
    return Wait.begin(session, timing, line, permits, options, began);
  }
}
