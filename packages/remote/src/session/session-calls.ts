// The calls of one session. If the connection interrupts a call, it is sent again with the next generation. The server
// refuses calls that an old connection still delivers.

import { keepAlive, letGo, messageOf } from '@sluice/core/calls';
import { EngineError, LeaseLostError, NotRun } from '../engine/errors.ts';
import { Interrupted, type RemoteEngine } from '../engine/engine.ts';
import type { OperationName } from '../engine/protocol.ts';
import { pause, type Timing } from '../engine/timing.ts';
import { PendingCalls } from './pending-calls.ts';

export interface ServerReply {
  readonly reply: string[];
  /** Whether the call was sent more than once. Then the reply may be that of a repetition. */
  readonly again: boolean;
}

/**
 * Operations that give something back. If the server refuses one of them, it keeps something that this process has
 * given up.
 */
const GIVES_BACK: readonly OperationName[] = ['release', 'cancel', 'recall', 'mine'];

/** The session, as its calls notify it. */
interface Listener {
  /** The reason why the session has ended. `undefined` if it has not. */
  ended(): Error | undefined;
  /** Called if the server does not know the session. */
  gone(): void;
  /** Called when the connection broke, by the first call that notices it. */
  interrupted(): void;
  /** Called if the server refused a call, and may have something that this process does not know of. */
  doubtful(): void;
}

export class SessionCalls {
  generation = 1;
  readonly #engine: RemoteEngine;
  readonly #timing: Timing;
  readonly #id: string;
  readonly #listener: Listener;
  readonly #pending = new PendingCalls();
  #failure: string | undefined;

  constructor(engine: RemoteEngine, timing: Timing, id: string, listener: Listener) {
    this.#engine = engine;
    this.#timing = timing;
    this.#id = id;
    this.#listener = listener;
  }

  /** The reason why the last call failed, in parentheses. Empty if it was answered. */
  get failure(): string {
    return this.#failure === undefined ? '' : ` (the last call failed: ${this.#failure})`;
  }

  /**
   * Calls an operation until it is answered. After an interruption, `wanted` decides whether the call is sent again.
   *
   * Rejects when the session ends, with `NotRun` if the call has certainly not run, and with `Interrupted` if the call is no
   * longer wanted.
   */
  async call(
    operation: OperationName,
    args: readonly (string | number)[],
    ref: boolean,
    wanted: () => boolean,
  ): Promise<ServerReply> {
    // Also between two attempts, while no connection keeps the process alive.
    if (ref) keepAlive();
    try {
      return await this.#untilAnswered(operation, args, ref, wanted);
    } finally {
      if (ref) letGo();
    }
  }

  /** Rejects all calls without an answer, because the session ended. */
  end(reason: Error): void {
    this.#pending.rejectAll(reason);
  }

  async #untilAnswered(
    operation: OperationName,
    args: readonly (string | number)[],
    ref: boolean,
    wanted: () => boolean,
  ): Promise<ServerReply> {
    let mayHaveRun = false;
    for (let tries = 0; ; tries++) {
      const ended = this.#listener.ended();
      if (ended !== undefined) throw mayHaveRun ? ended : notRun(ended);
      const { generation } = this;
      try {
        const reply = await this.#pending.until(this.#engine.run([operation, this.#id, generation, ...args], ref));
        this.#failure = undefined;
        if (reply[0] === 'gone') this.#listener.gone();
        else if (reply[0] !== 'stale') return { reply, again: tries > 0 };
      } catch (failure) {
        if (failure instanceof Interrupted || failure instanceof EngineError) this.#failure = messageOf(failure);
        // The server may have run an earlier attempt of this call.
        if (failure instanceof EngineError && (tries > 0 || GIVES_BACK.includes(operation))) this.#listener.doubtful();
        if (!(failure instanceof Interrupted)) throw failure;
        mayHaveRun = true;
        // One break of the connection interrupts many calls. The first of them begins the next generation, even if the
        // call is no longer wanted: the old connection may still deliver it after its cancel.
        if (generation === this.generation) {
          this.generation++;
          this.#listener.interrupted();
        }
        const isWanted = wanted();
        if (!isWanted) throw failure;
        await this.#pending.until(pause(this.#timing, this.#engine.retryMs));
        // In the meantime a message may have granted the wait, and its caller may have released the grant. Then another
        // `acquire` would wait for no caller.
        if (!wanted()) throw failure;
      }
    }
  }
}

function notRun(ended: Error): Error {
  return ended instanceof LeaseLostError ? new NotRun(ended) : ended;
}
