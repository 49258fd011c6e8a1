// Permits that the server has granted to this session.

import type { ServerReply } from './session-calls.ts';
import { LeaseLostError } from '../engine/errors.ts';
import type { OperationName } from '../engine/protocol.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';

/** The session that was granted the permits, as the grant uses it. */
export interface GrantedSession {
  readonly lease: number;
  /** The end of the lease by the wall clock. */
  readonly wallDeadline: number;
  /** The reason why the lease can no longer be used. `undefined` if it can. */
  readonly ended: Error | undefined;
  /** Throws if the lease has ended. */
  checkLease(): void;
  call(operation: OperationName, args: readonly (string | number)[]): Promise<ServerReply>;
  release(grant: Grant): Promise<void>;
  settle(line: RemotePrimitive, seq: number): void;
  post(line: RemotePrimitive, permits: number): Promise<void>;
  use(seq: number): void;
  drop(seq: number): void;
  forget(line: RemotePrimitive, seq: number): void;
  forgotten(seq: number): void;
  /** Takes in the grants of this session from a reply, from index `from` on. */
  takeGrants(reply: readonly string[], from: number): void;
}

export class Grant {
  readonly session: GrantedSession;
  readonly line: RemotePrimitive;
  readonly seq: number;
  /** Greater than every earlier token of the namespace. */
  readonly token: bigint;
  /** The number of permits that the grant still holds. */
  permits: number;
  /** Whether a waiter of another session was seen behind this grant. Used only for lines with idle permits. */
  asked: boolean;
  /** The number of local callers that the grant has served: since it was granted, or since another session asked. */
  passes = 0;
  /** The reason why the grant was lost. */
  #lost: Error | undefined;
  #abort: AbortController | undefined;

  constructor(
    session: GrantedSession,
    line: RemotePrimitive,
    seq: number,
    permits: number,
    token: string,
    asked: boolean,
  ) {
    this.session = session;
    this.line = line;
    this.seq = seq;
    this.permits = permits;
    this.token = BigInt(token);
    this.asked = asked;
  }

  /** Aborted when the grant is lost. Created when a caller first reads it, because most holders never do. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#lost !== undefined) this.#abort.abort(this.#lost);
    }
    return this.#abort.signal;
  }

  /**
   * Throws `LeaseLostError` if another session may hold the grant by now. Reads the clocks, and does not rely on the
   * timers.
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

  /** Called when another session waits for this grant. */
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
