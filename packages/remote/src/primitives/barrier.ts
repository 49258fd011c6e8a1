// A cyclic barrier over all processes of a namespace.

import { BrokenBarrierError, hasCode, MisuseError } from '@sluice/core';
import {
  checkInteger,
  checkTimeout,
  checkWait,
  INSPECT,
  keepAlive,
  letGo,
  NO_WAIT_OPTIONS,
  refusePosting,
} from '@sluice/core/calls';
import { ENDING } from '../engine/protocol.ts';
import type { RoundPrimitive } from './round-primitive.ts';
import { breakText, readBarrier, type RemoteBarrierReport } from '../report/round-report.ts';
import type { RoundEnd } from '../session/round-wait.ts';
import type { Session } from '../session/session.ts';
import { UNPOSTABLE } from './unpostable.ts';

export const MAX_PARTIES = 32767;

/** The result of a wait at a barrier. */
export interface BarrierResult {
  /** True for one party of each generation: the first that arrived. */
  readonly leader: boolean;
}

const LEADER: BarrierResult = Object.freeze({ leader: true });
const FOLLOWER: BarrierResult = Object.freeze({ leader: false });

export interface RemoteBarrierOptions {
  /**
   * Runs in each generation after all parties have arrived and before any of them continues, in the process of the last
   * party. It may return a promise. If it throws or rejects, the generation is broken, and the call that ran it rejects
   * with the same error.
   *
   * It must not await a wait at the same barrier.
   */
  readonly action?: (() => unknown) | undefined;
}

/**
 * A cyclic barrier, shared by all processes of a namespace: no party continues before all have arrived. `space.barrier`
 * creates it.
 *
 * - A generation *trips* for all of its parties or is *broken* for all. It is broken by a wait that times out or is
 *   aborted, by an action that throws, by `abort`, by `reset`, and by the end of a session that waits or has called
 *   `register` or `claim`.
 * - Waits at a broken barrier reject with `BrokenBarrierError` until `reset` or `mend` is called.
 * - An arrival that the connection interrupts is sent again, and counts once.
 *
 * After the `Barrier` of `@sluice/barrier`, and Java's `CyclicBarrier`.
 */
export class RemoteBarrier {
  readonly name: string;
  readonly #primitive: RoundPrimitive;
  readonly #action: (() => unknown) | undefined;

  /** @internal */
  constructor(primitive: RoundPrimitive, action: (() => unknown) | undefined) {
    refusePosting(this, UNPOSTABLE);
    this.#primitive = primitive;
    this.#action = action;
    this.name = primitive.line.name;
  }

  toString(): string {
    return this.#primitive.line.title;
  }

  /** The number of parties that a generation waits for. */
  get parties(): Promise<number> {
    return this.inspect().then(({ parties }) => parties);
  }

  /** The number of waits of all processes at the server. */
  get waiting(): Promise<number> {
    return this.inspect().then(({ waiters }) => waiters.length);
  }

  /** The number of generations that have ended, tripped or broken. */
  get generation(): Promise<number> {
    return this.inspect().then(({ generation }) => generation);
  }

  /** Whether a generation was broken, and neither `reset` nor `mend` was called after that. */
  get broken(): Promise<boolean> {
    return this.inspect().then(({ broken }) => broken !== undefined);
  }

  /**
   * Arrives, and waits until all parties have arrived. Rejects with:
   *
   * - `RangeError` or `TypeError` if an argument is wrong, `MisuseError` if the barrier has no parties;
   * - `BrokenBarrierError` if the barrier is broken, or its generation is broken during the wait;
   * - `TimeoutError` or `signal.reason` if this party leaves. Then the generation is broken. The server decides whether
   *   the generation tripped first, so the promise settles when it has answered;
   * - `ClosedError` if the space is closed, `LeaseLostError` if the lease ends. Then the generation is broken, too;
   * - `EngineError` if the server cannot be reached or refuses the call.
   *
   * With `timeout: 0` it arrives only if it is the last party. Once its action runs, `timeout` and `signal` have no
   * effect.
   */
  async waitAsync(options = NO_WAIT_OPTIONS): Promise<BarrierResult> {
    const checked = checkWait(options);
    const [session, ending] = await this.#primitive.wait(checked, this.#action !== undefined);
    if (ending === undefined) throw this.#primitive.line.notReady();
    return this.#conclude(session, ending, checked.ref ?? true);
  }

  /**
   * Arrives, and waits at most `timeoutMs` for the others. Resolves with `undefined` on timeout. The generation is then
   * broken.
   *
   * With 0, the default, it arrives only if it is the last party. Otherwise it resolves with `undefined`, and nothing
   * was changed.
   */
  async tryWait(timeoutMs = 0): Promise<BarrierResult | undefined> {
    checkTimeout(timeoutMs);
    const waited = await this.#primitive
      .wait({ timeout: timeoutMs }, this.#action !== undefined)
      .catch((failure: unknown) => {
        if (hasCode(failure, 'SLUICE_TIMEOUT')) return undefined;
        throw failure;
      });
    const [session, ending] = waited ?? [];
    return session === undefined || ending === undefined ? undefined : this.#conclude(session, ending, true);
  }

  /**
   * Adds `n` parties, 1 to 32767, which belong to this process. The current generation waits for them, too. While its
   * action runs, only the next generation does. If the session ends before they leave, the generation is broken, and
   * they are removed.
   *
   * Rejects with `RangeError` if there would be more than 32767 parties. Then nothing was changed.
   */
  async register(n = 1): Promise<void> {
    checkInteger('The number of parties', n, 1, MAX_PARTIES);
    const { reply } = await this.#primitive.change('register', n);
    if (reply[0] !== 'refused') return;
    throw new RangeError(
      `${this.toString()} cannot have ${n} more than its ${reply[1]} parties: the maximum is ${MAX_PARTIES}. It was not changed.`,
    );
  }

  /**
   * Declares that `n` of the existing parties, 1 to 32767, belong to this process. If its session ends before they
   * leave, the generation is broken, and they are removed. Without `claim`, the barrier notices only the end of a
   * session that waits.
   *
   * Rejects with `MisuseError` if this process would have more parties than exist. Then nothing was changed.
   */
  async claim(n = 1): Promise<void> {
    checkInteger('The number of parties', n, 1, MAX_PARTIES);
    const { reply } = await this.#primitive.change('claim', n);
    if (reply[0] !== 'refused') return;
    throw new MisuseError(
      `${this.toString()}: this process cannot be ${n} more of its ${reply[1]} parties. It was not changed.`,
    );
  }

  /**
   * Removes `n` parties, 1 to 32767, that have not arrived, those of this process first. Never waits for other parties.
   * If all remaining parties have arrived, the action of this object runs, and the generation trips.
   *
   * Rejects with `MisuseError` if fewer than `n` parties have not arrived. Then nothing was changed.
   */
  async deregister(n = 1): Promise<void> {
    checkInteger('The number of parties', n, 1, MAX_PARTIES);
    const { reply, session, seq } = await this.#primitive.change('deregister', n, this.#action !== undefined);
    const [answer, parties, arrived] = reply;
    if (answer === 'refused') {
      throw new MisuseError(
        `${this.toString()}: ${n} cannot leave: ${arrived} of ${parties} parties have arrived. It was not changed.`,
      );
    }
    if (answer === 'acts') await this.#act(session, seq, true);
  }

  /**
   * Repairs the barrier. If parties wait, or the action runs, their generation is broken first: their waits reject with
   * `BrokenBarrierError`. If the barrier is not broken and no party waits, nothing changes.
   */
  async reset(): Promise<void> {
    await this.#primitive.change('reset');
  }

  /** Breaks the barrier, whether or not parties wait. For a party that cannot continue. */
  async abort(): Promise<void> {
    await this.#primitive.change('abort');
  }

  /**
   * Repairs a broken barrier. If it is not broken, nothing changes. So every party may call it after a
   * `BrokenBarrierError`.
   */
  async mend(): Promise<void> {
    await this.#primitive.change('mend');
  }

  /**
   * Resolves with a snapshot: parties, arrivals, generation, the reason of a break, the sessions with parties of their
   * own, and the waiters.
   */
  async inspect(): Promise<RemoteBarrierReport> {
    return readBarrier(this.name, this.#primitive.line.size, await this.#primitive.survey());
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  wait(): never {
    throw this.#primitive.blocks('waitAsync');
  }

  [INSPECT](): string {
    return `RemoteBarrier { name: '${this.name}' }`;
  }

  async #conclude(session: Session, { seq, code }: RoundEnd, ref: boolean): Promise<BarrierResult> {
    const end = code === ENDING.acts ? await this.#act(session, seq, ref) : code;
    if (end === ENDING.leads) return LEADER;
    if (end === ENDING.tripped) return FOLLOWER;
    throw new BrokenBarrierError(`${this.toString()} ${breakText(end)}`);
  }

  /** Runs the action, then trips the barrier, or breaks it if the action throws. Returns how the generation ended. */
  async #act(session: Session, seq: number, ref: boolean): Promise<number> {
    if (ref) keepAlive();
    try {
      await this.#action?.();
    } catch (failure) {
      // The caller must see the failure of the action.
      await this.#tell(session, seq, 1).catch(() => undefined);
      throw failure;
    } finally {
      if (ref) letGo();
    }
    return this.#tell(session, seq, 0);
  }

  async #tell(session: Session, seq: number, threw: 0 | 1): Promise<number> {
    const { line } = this.#primitive;
    const { reply } = await session.call('tripped', [line.key, seq, threw]);
    const [answer, code, round] = reply;
    session.rounds.acted(line, seq, answer === 'ended' ? Number(round) : -1);
    return answer === 'ended' ? Number(code) : ENDING.lost;
  }
}
