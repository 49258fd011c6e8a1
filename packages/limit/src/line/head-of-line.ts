// The head of a line. The line is a semaphore with one permit, and the owner of the permit is the head. The head makes
// attempts until one succeeds. In between it sleeps at the alarm, a semaphore without permits, until its own timer or a
// permit of the alarm ends the sleep.
//
// Lost wake-up: a permit that comes to the alarm before the head sleeps stays there, so the sleep ends at once (core:
// kernel/admit.ts).

import { hasCode, TimeoutError, type Semaphore, type WaitOptions } from '@sluice/core';
import { acquireFor, unfollowed, type BlockRef, type PrimitiveErrors, type WaitErrors } from '@sluice/core/internal';

/** The semaphore at which the head sleeps. */
export type HeadAlarm = Pick<Semaphore, 'tryAcquire' | 'release' | 'available' | 'close' | 'free' | 'handle'>;

/** The terms of `lead`. */
export interface HeadOptions extends Pick<WaitOptions, 'signal' | 'ref'> {
  /** Throws once the caller has given up. */
  readonly check: () => void;
  /** The time by the clock of waits after which the caller does not sleep. Default: none. */
  readonly deadline?: number;
}

export class HeadOfLine {
  readonly #alarm: HeadAlarm;
  readonly #ref: BlockRef;
  readonly #errors: PrimitiveErrors;
  /** Creates the errors of the head's sleep. A sleep that ends by its timer reports no error to the caller. */
  readonly #asleep: WaitErrors;

  /** `ref` is the block of the primitive: its clock decides what is late. */
  constructor(alarm: HeadAlarm, ref: BlockRef, errors: PrimitiveErrors) {
    this.#alarm = alarm;
    this.#ref = ref;
    this.#errors = errors;
    this.#asleep = {
      timedOut: () => IN_TIME,
      deadlock: (waits) => errors.deadlock(waits),
      closed: () => errors.closed(),
      toString: () => errors.toString(),
    };
  }

  /**
   * Makes attempts until one succeeds, blocking the thread. `attempt` returns 0 if it succeeded, or the ms until it can
   * succeed. Returns false if that would be after `deadline`: a head that would be late leaves at once, so that it does
   * not delay the waiters behind it.
   */
  block(attempt: () => number, deadline: number): boolean {
    for (let ms = attempt(); ms > 0; ms = attempt()) {
      if (this.#isLate(ms, deadline)) return false;
      this.#sleep(ms);
    }
    return true;
  }

  /** Makes attempts as `block` does, without blocking the thread. An attempt may wait itself. */
  async lead(
    attempt: () => number | Promise<number>,
    { check, signal, ref, deadline = Infinity }: HeadOptions,
  ): Promise<boolean> {
    for (;;) {
      check();
      const found = attempt();
      const ms = typeof found === 'number' ? found : await found;
      if (ms <= 0) return true;
      if (this.#isLate(ms, deadline)) return false;
      // The caller may have given up while the attempt waited. The sleep would not notice.
      if (typeof found !== 'number') check();
      await this.#sleepAsync({ timeout: ms, signal, ref });
    }
  }

  #isLate(ms: number, deadline: number): boolean {
    return deadline !== Infinity && this.#ref.context.parking.now() + ms > deadline;
  }

  #sleep(ms: number): void {
    try {
      this.#alarm.tryAcquire(1, ms);
    } catch (failure) {
      throw hasCode(failure, 'SLUICE_CLOSED') ? this.#errors.closed() : failure;
    }
  }

  async #sleepAsync(options: WaitOptions): Promise<void> {
    try {
      // The alarm is a part of the primitive: the tools are not told of its timeouts.
      await unfollowed(() => acquireFor(this.#alarm as Semaphore, options, this.#asleep));
    } catch (failure) {
      if (failure !== IN_TIME) throw failure;
    }
  }
}

/** One error for all sleeps. A caller never sees it. */
const IN_TIME = /* @__PURE__ */ new TimeoutError('The time of the head has come.');
