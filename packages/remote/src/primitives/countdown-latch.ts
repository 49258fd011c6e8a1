// A countdown latch over all processes of a namespace.

import { hasCode, MisuseError } from '@sluice/core';
import {
  checkInteger,
  checkTimeout,
  checkWait,
  INSPECT,
  MAX_PERMITS,
  NO_WAIT_OPTIONS,
  refusePosting,
} from '@sluice/core/calls';
import type { RoundPrimitive } from './round-primitive.ts';
import { readLatch, type RemoteCountdownLatchReport } from '../report/round-report.ts';
import { UNPOSTABLE } from './unpostable.ts';

/**
 * A countdown latch (also known as "wait group"), shared by all processes of a namespace. Made by
 * `space.countdownLatch`.
 *
 * - When the count reaches 0, all waiters are admitted at once. While it is 0, a wait resolves at once.
 * - The latch is reusable: `add` at count 0 begins a new round. Waiters of the round before are not affected.
 * - A call that the connection interrupts is sent again, and counts once.
 * - If a session that has called `claim` ends, the server counts down for it.
 *
 * After the `CountdownLatch` of `@sluice/barrier`, and Go's `sync.WaitGroup`.
 */
export class RemoteCountdownLatch {
  readonly name: string;
  readonly #primitive: RoundPrimitive;

  /** @internal */
  constructor(primitive: RoundPrimitive) {
    refusePosting(this, UNPOSTABLE);
    this.#primitive = primitive;
    this.name = primitive.line.name;
  }

  toString(): string {
    return this.#primitive.line.title;
  }

  /** The number of outstanding calls of `done`. At 0 a wait resolves at once. */
  get count(): Promise<number> {
    return this.inspect().then(({ count }) => count);
  }

  /** The number of waiters of all processes. */
  get waiting(): Promise<number> {
    return this.inspect().then(({ waiters }) => waiters.length);
  }

  /**
   * Increases the count by `n`, 1 to 2^31 − 1. At count 0 this begins a new round. To be sure that a waiter waits for
   * the work, await `add` before the waiter calls `waitAsync`.
   *
   * Rejects with `RangeError` if the count would pass 2^31 − 1. Then it was not changed.
   */
  async add(n = 1): Promise<void> {
    checkInteger('The number to add', n, 1, MAX_PERMITS);
    const { reply } = await this.#primitive.change('count', n);
    if (reply[0] !== 'refused') return;
    throw new RangeError(
      `${this.toString()} cannot count up by ${n}: its count is ${reply[1]}, and the maximum is ${MAX_PERMITS}. It was not changed.`,
    );
  }

  /**
   * Decreases the count by `n`, 1 to 2^31 − 1. At 0 all waiters are admitted. Any process may call it, also for an
   * `add` of another process.
   *
   * Rejects with `MisuseError` if the count is less than `n`, and with `LeaseLostError` if the lease of this process
   * ended, and the server has counted down its claim. Then the count was not changed.
   */
  async done(n = 1): Promise<void> {
    checkInteger('The number to count down', n, 1, MAX_PERMITS);
    const { reply } = await this.#primitive.change('count', -n);
    if (reply[0] === 'refused') throw this.#tooMany(` cannot be counted down by ${n}: its count is ${reply[1]}`);
  }

  /**
   * Makes this process responsible for `n` of the count, 1 to 2^31 − 1: if its session ends before it has called `done`
   * for them, the server counts them down. The count stays as it is. Calls of `done` by this process count against its
   * claims first. A claim ends when the count reaches 0. A process that has not waited for count 0 may still get the
   * `LeaseLostError` of `done` after its lease has ended.
   *
   * Rejects with `MisuseError` if this process would have claimed more than the count. Then it claimed nothing.
   */
  async claim(n = 1): Promise<void> {
    checkInteger('The number to claim', n, 1, MAX_PERMITS);
    const { reply } = await this.#primitive.change('claim', n);
    if (reply[0] === 'refused') throw this.#tooMany(`: ${n} more claims would exceed its count of ${reply[1]}`);
  }

  /**
   * Waits until the count is 0. Rejects with:
   *
   * - `RangeError` or `TypeError` if an argument is wrong;
   * - `TimeoutError` if `timeout` elapses first, and `signal.reason` if the signal is aborted first;
   * - `ClosedError` if the space is closed;
   * - `LeaseLostError` if the lease ends during the wait;
   * - `EngineError` if the server cannot be reached or refuses the call.
   */
  async waitAsync(options = NO_WAIT_OPTIONS): Promise<void> {
    const [, ending] = await this.#primitive.wait(checkWait(options));
    if (ending === undefined) throw this.#primitive.line.timedOut(0);
  }

  /**
   * Waits for the count to be 0, for at most `timeoutMs`. With 0, the default, it does not wait. Resolves with whether
   * the count is 0.
   */
  async tryWait(timeoutMs = 0): Promise<boolean> {
    checkTimeout(timeoutMs);
    try {
      await this.waitAsync({ timeout: timeoutMs });
      return true;
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return false;
      throw failure;
    }
  }

  /** Resolves with a snapshot: the count, the sessions with claims, and the waiters. */
  async inspect(): Promise<RemoteCountdownLatchReport> {
    return readLatch(this.name, this.#primitive.line.size, await this.#primitive.survey());
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
    return `RemoteCountdownLatch { name: '${this.name}' }`;
  }

  #tooMany(reason: string): MisuseError {
    return new MisuseError(`${this.toString()}${reason}. It was not changed.`);
  }
}
