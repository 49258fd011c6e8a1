// Waits until a predicate is true. While the predicate is false, the wait waits for a notification and then calls it
// again.

import { hasCode, TimeoutError, type WaitOptions } from '@sluice/core';
import { isThenable, reasonOf, throwIfAborted } from '@sluice/core/calls';
import { deadlineIn, leftUntil, type AgentContext } from '@sluice/core/internal';

/** The operations of a condition that these waits use. */
export interface AwaitedCondition {
  readonly parking: AgentContext['parking'];
  /** The name of the condition in messages. */
  readonly title: { toString(): string };
  /** Throws `MisuseError` if this agent does not own the lock. */
  checkOwned(): void;
  /** Waits for a notification. Returns whether it came. */
  block(timeoutMs: number): boolean;
  async(options: WaitOptions): Promise<void>;
}

export class PredicateWaits {
  readonly #condition: AwaitedCondition;

  constructor(condition: AwaitedCondition) {
    this.#condition = condition;
  }

  waitFor(predicate: () => boolean, timeoutMs: number): boolean {
    const { parking } = this.#condition;
    this.#condition.checkOwned();
    const end = deadlineIn(parking, timeoutMs);
    while (!this.#holds(predicate)) {
      const left = leftUntil(parking, end);
      if (!this.#condition.block(left)) return this.#holds(predicate);
    }
    return true;
  }

  async waitForAsync(predicate: () => boolean, { timeout = Infinity, signal, ref }: WaitOptions): Promise<void> {
    const { parking } = this.#condition;
    this.#condition.checkOwned();
    const end = deadlineIn(parking, timeout);
    while (!this.#holds(predicate)) {
      // The predicate may have aborted the signal. Another task may have aborted it while this wait locked the lock
      // again. A wait that cannot succeed must not unlock the lock.
      throwIfAborted(signal);
      const left = end === Infinity ? undefined : leftUntil(parking, end);
      // The predicate or another task may have unlocked the lock.
      this.#condition.checkOwned();
      try {
        await this.#condition.async({ timeout: left, signal, ref });
      } catch (failure) {
        const isLate = hasCode(failure, 'SLUICE_TIMEOUT');
        if (!isLate && (signal === undefined || failure !== reasonOf(signal))) throw failure;
        if (this.#holds(predicate)) return;
        if (!isLate) throw failure;
        throw new TimeoutError(
          `The predicate of ${this.#condition.title.toString()} was not true within ${timeout} ms. The lock is held.`,
        );
      }
    }
  }

  #holds(predicate: () => boolean): boolean {
    const answer: unknown = predicate();
    if (isThenable(answer))
      throw new TypeError(
        `The predicate of ${this.#condition.title.toString()} must return a boolean: received a promise. The lock is held.`,
      );
    return Boolean(answer);
  }
}
