// Permits held over the server, until they are released.

import { INSPECT, consoleText } from '@sluice/core/calls';
import type { Grant } from '../session/grant.ts';

/** `Symbol.asyncDispose`, or a symbol of this package if the platform has none. No global object is changed. */
export const asyncDispose: typeof Symbol.asyncDispose =
  (Symbol as { asyncDispose?: typeof Symbol.asyncDispose }).asyncDispose ??
  (Symbol.for('Symbol.asyncDispose') as typeof Symbol.asyncDispose);

/** Holds permits until `release` or the end of an `await using` block. */
export class RemoteGuard {
  /**
   * A number greater than that of every earlier grant of the namespace. Give it to the resource, which refuses a
   * smaller one.
   */
  readonly fencingToken: bigint;
  readonly #grant: Grant;
  readonly #give: (grant: Grant) => Promise<void>;
  #held = true;

  constructor(grant: Grant, give: (grant: Grant) => Promise<void>) {
    this.fencingToken = grant.token;
    this.#grant = grant;
    this.#give = give;
  }

  /** Aborted when the lease is lost. Then stop using what the permits protect. */
  get signal(): AbortSignal {
    return this.#grant.signal;
  }

  /** Whether this guard was not released and its lease runs, by the clocks of this process. */
  get held(): boolean {
    return this.#held && !this.#grant.lost;
  }

  /**
   * Checks that the lease has not ended. After a pause of the process it throws at once, while `signal` needs a turn of
   * the event loop.
   *
   * The process may still pause between this call and the next write. Only a token that the resource compares protects
   * against that.
   *
   * @throws {LeaseLostError} If the lease has ended.
   */
  assertHeld(): void {
    this.#grant.assertHeld();
  }

  /** Releases the permits. Later calls have no effect. Rejects with `LeaseLostError` if they were lost before. */
  async release(): Promise<void> {
    if (!this.#held) return;
    this.#held = false;
    await this.#give(this.#grant);
  }

  [INSPECT](): string {
    return consoleText('RemoteGuard', () => ({
      held: this.held,
      of: this.#grant.line.title,
      fencingToken: this.fencingToken,
    }));
  }

  [asyncDispose](): Promise<void> {
    return this.release();
  }
}
