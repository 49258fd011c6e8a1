// Several locks held over the server, until they are released together.

import { consoleText, INSPECT } from '@sluice/core/calls';
import { asyncDispose, type RemoteGuard } from '../primitives/guard.ts';

/** Holds several locks until `release` or the end of an `await using` block. */
export class RemoteGuards {
  /** The greatest of the tokens of the locks. A resource that compares tokens must compare those of one set of locks. */
  readonly fencingToken: bigint;
  readonly #title: string;
  readonly #guards: readonly RemoteGuard[];
  #signal: AbortSignal | undefined;

  /** @internal */
  constructor(title: string, guards: readonly RemoteGuard[]) {
    this.#title = title;
    this.#guards = guards;
    this.fencingToken = guards.reduce((most, { fencingToken }) => (fencingToken > most ? fencingToken : most), 0n);
  }

  /** Aborted when the lease of one of the locks is lost. Then stop using what the locks protect. */
  get signal(): AbortSignal {
    return (this.#signal ??= anyOf(this.#guards.map(({ signal }) => signal)));
  }

  /** Whether all locks are held, by the clocks of this process. */
  get held(): boolean {
    return this.#guards.every(({ held }) => held);
  }

  /**
   * Checks that no lease has ended, as `RemoteGuard.assertHeld` does.
   *
   * @throws {LeaseLostError} If the lease of one of the locks has ended.
   */
  assertHeld(): void {
    for (const guard of this.#guards) guard.assertHeld();
  }

  /** Releases all locks. Later calls have no effect. Rejects with `LeaseLostError` if one of them was lost before. */
  async release(): Promise<void> {
    const ends = await Promise.allSettled(this.#guards.map((guard) => guard.release()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  [asyncDispose](): Promise<void> {
    return this.release();
  }

  [INSPECT](): string {
    return consoleText('RemoteGuards', () => ({ by: this.#title, locks: this.#guards.length, held: this.held }));
  }
}

function anyOf(signals: readonly AbortSignal[]): AbortSignal {
  const any = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) any.abort(signal.reason);
    else signal.addEventListener('abort', () => any.abort(signal.reason), { once: true });
  }
  return any.signal;
}
