// Permits that the server has granted to this session.

import type { Answer } from './calls.ts';
import { LeaseLostError } from './errors.ts';
import type { Line } from './line.ts';

/** The session that was granted the permits. */
export interface GrantedSession {
  readonly lease: number;
  /** When the lease ends, by the clock on the wall. */
  readonly wallDeadline: number;
  /** Why nothing can be done under its lease any more. */
  readonly ended: Error | undefined;
  /** Throws if the lease has ended. */
  checkLease(): void;
  call(operation: string, args: readonly (string | number)[]): Promise<Answer>;
  release(grant: Grant): Promise<void>;
  settle(line: Line, seq: number): void;
  post(line: Line, permits: number): Promise<void>;
  use(seq: number): void;
  drop(seq: number): void;
  forget(line: Line, seq: number): void;
  forgotten(seq: number): void;
  /** The grants of this session in a reply, from index `from` on. */
  takeGrants(reply: readonly string[], from: number): void;
}

export class Grant {
  readonly session: GrantedSession;
  readonly line: Line;
  readonly seq: number;
  /** Greater than every earlier token of the namespace. */
  readonly token: bigint;
  /** How many permits it still holds. */
  permits: number;
  /** Whether a waiter of another session was seen behind it. Only for lines with idle permits. */
  asked: boolean;
  /** How many local callers it has served since it was granted; since another session asked, if one did. */
  passes = 0;
  /** Why it no longer holds anything, if that is not a release. */
  #lost: Error | undefined;
  #abort: AbortController | undefined;

  constructor(session: GrantedSession, line: Line, seq: number, permits: number, token: string, asked: boolean) {
    this.session = session;
    this.line = line;
    this.seq = seq;
    this.permits = permits;
    this.token = BigInt(token);
    this.asked = asked;
  }

  /** Aborted when the grant is lost. Made when a caller first asks for it: most holders never do. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#lost !== undefined) this.#abort.abort(this.#lost);
    }
    return this.#abort.signal;
  }

  /**
   * Throws `LeaseLostError` if the grant may be held by another session by now. Asks the clocks, not only the timers.
   */
  assertHeld(): void {
    this.session.checkLease();
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** Gives back permits until `keeps` are left. Rejects with `LeaseLostError` if the server does not know the grant. */
  async release(keeps = 0): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    this.permits = keeps;
    await this.session.release(this);
  }

  get lost(): boolean {
    return this.#lost !== undefined || this.session.ended !== undefined;
  }

  /** Another session waits for what this one holds. */
  ask(): void {
    if (this.asked) return;
    this.asked = true;
    this.passes = 0;
  }

  lose(reason: Error): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    this.#abort?.abort(reason);
  }
}

export function leaseLost(what: string, why: string): LeaseLostError {
  return new LeaseLostError(
    `${what}: ${why}. Its permits may be held by another session by now. The next call begins a new session.`,
  );
}
