// Waits until permits of a resizable semaphore are free, without taking them. These waits have a line of their own: the
// second line of the block.

import { TimeoutError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import { asBlock, SHUT, TAKEN, WAITING, type Poll } from '@sluice/core/format';
import { plural } from '@sluice/core/calls';
import {
  WaitLine,
  deadlineIn,
  leftUntil,
  type PrimitiveErrors,
  type LineSteps,
  type BlockRef,
  type WaitErrors,
} from '@sluice/core/internal';
import { allWaiting } from '@sluice/core/report';
import { kernelOf, type OwnKernel } from './own-kernel.ts';
import { officeOf } from './resizable-balance.ts';

/** The waits of one call. After each wake-up it checks whether enough permits are free. */
export class ResizeWatch {
  readonly #line: WaitLine;
  readonly #ref: BlockRef;
  readonly #permits: number;
  #isFree = false;

  /** `timeout` is that of an async wait, for its message. */
  constructor(ref: BlockRef, policy: WaitingPolicy, permits: number, errors: PrimitiveErrors, timeout = Infinity) {
    const { context, address, tag, arena } = ref;
    const kernel = kernelOf(context);
    const visit = (mayWait: number): ReturnType<OwnKernel['watchSized']> => {
      const seen = kernel.watchSized(address, tag, context.agent, permits, mayWait);
      this.#isFree = seen === TAKEN;
      return seen;
    };
    const watchErrors: WaitErrors = {
      timedOut: () =>
        new TimeoutError(
          `${errors.toString()}: timed out after ${timeout} ms waiting until ${plural(permits, 'permit')} ${permits === 1 ? 'is' : 'are'} free (${errors.why(0)}).`,
        ),
      deadlock: (asyncWaits) => errors.deadlock(asyncWaits),
      closed: () => errors.closed(),
      toString: () => errors.toString(),
    };
    const office = { context, address: asBlock(officeOf(address)), tag, arena };
    this.#line = new WaitLine(office, policy, { together: true, line: watcherSteps(kernel) }, visit, watchErrors);
    this.#ref = ref;
    this.#permits = permits;
  }

  /** Blocks until enough permits are free. Returns TAKEN, WAITING if the time is up, or SHUT. */
  block(timeoutMs: number): Poll {
    const { parking } = this.#ref.context;
    const end = deadlineIn(parking, timeoutMs);
    for (;;) {
      const seen = this.#line.enter(leftUntil(parking, end));
      if (seen === SHUT || seen === WAITING) return seen;
      if (this.isOver) return TAKEN;
    }
  }

  /** Waits without blocking. Resolves with TAKEN or SHUT. Rejects with `TimeoutError` and `signal.reason`. */
  async await({ timeout = Infinity, ...others }: WaitOptions): Promise<Poll> {
    const { parking } = this.#ref.context;
    const end = deadlineIn(parking, timeout);
    do {
      const left = timeout === Infinity ? {} : { timeout: leftUntil(parking, end) };
      if ((await this.#line.enterAsync({ ...others, ...left })) === SHUT) return SHUT;
    } while (!this.isOver);
    return TAKEN;
  }

  /** Whether enough permits were free at the end of the last wait. A wake-up only means that one permit was free. */
  get isOver(): boolean {
    return this.#permits === 1 || this.#isFree;
  }
}

/** Returns the number of agents that wait until a permit is free. */
export function watchersAt({ context, address, tag }: BlockRef): number {
  const office = officeOf(address);
  return [...allWaiting(context)].filter((wait) => wait.address === office && wait.tag === tag).length;
}

function watcherSteps({ pollWatcher, cancelWatcher, park }: OwnKernel): LineSteps {
  return { poll: pollWatcher, cancel: cancelWatcher, park };
}
