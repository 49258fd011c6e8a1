// What the waits at a resizable semaphore are made from: waits for a free permit, the errors of waits, and the balance.

import { CancelledError, TimeoutError, type ClosedError, type DeadlockError, type WaitingPolicy } from '@sluice/core';
import {
  asBlock,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  Bouncer,
  CAPACITY,
  PermitsWanted,
  plural,
  TAKEN,
  type ElementAddress,
  type LineAddress,
  type Place,
  type Wanted,
  type Account,
} from '@sluice/core/internal';
import { BALANCE } from './kernel/layout.ts';
import { kernelOf, type MemberKernel } from './kinds.ts';
import { watcherSteps, type CancellableWait } from './resizable-kind.ts';

/** The waits of one `waitForUnlock`. */
export class Watch {
  readonly line: Bouncer;
  readonly #permits: number;
  #isFree = false;

  constructor({ context, address, tag, arena }: Place, policy: WaitingPolicy, permits: number, account: Account, timeout = Infinity) {
    const kernel = kernelOf(context);
    const visit = (mayWait: number): ReturnType<MemberKernel['watchSized']> => {
      const seen = kernel.watchSized(address, tag, context.agent, permits, mayWait);
      this.#isFree = seen === TAKEN;
      return seen;
    };
    const what: Wanted = {
      timedOut: () => new TimeoutError(`${account.toString()}: timed out after ${timeout} ms waiting until ${plural(permits, 'permit')} ${permits === 1 ? 'is' : 'are'} free (${account.why(0)}).`),
      deadlock: (asyncWaits) => account.deadlock(asyncWaits),
      closed: () => account.closed(),
    };
    const office = { context, address: asBlock(officeOf(address)), tag, arena };
    this.line = new Bouncer(office, policy, { together: true, line: watcherSteps(kernel) }, visit, what);
    this.#permits = permits;
  }

  /** Whether the last wait found what it waits for. A wake-up says that one permit was free. */
  get isOver(): boolean {
    return this.#permits === 1 || this.#isFree;
  }
}

export class WaitForPermits implements Wanted {
  readonly #wanted: PermitsWanted;
  readonly #account: Account;
  readonly #permits: number;
  readonly #wait: CancellableWait;

  constructor(account: Account, permits: number, wait: CancellableWait) {
    this.#wanted = new PermitsWanted(account, permits);
    this.#account = account;
    this.#permits = permits;
    this.#wait = wait;
  }

  /** The error of a wait that ended without permits: cancelled or timed out. */
  timedOut(timeoutMs: number | undefined, element: ElementAddress | 0): Error {
    const { reason } = this.#wait;
    return reason === undefined ? this.#wanted.timedOut(timeoutMs, element) : cancelledError(this.#account, this.#permits, reason);
  }

  deadlock(asyncWaits: number): DeadlockError {
    return this.#account.deadlock(asyncWaits);
  }

  closed(): ClosedError {
    return this.#account.closed();
  }
}

export function cancelledError(account: Account, permits: number, reason: number): CancelledError {
  return new CancelledError(`${account.toString()}: the wait for ${plural(permits, 'permit')} was cancelled by cancelWaiters(${reason}). No permit was taken.`, reason);
}

export function officeOf(home: LineAddress): LineAddress {
  return asLine(home + BLOCK_LINE);
}

/** The number of free permits, or less than 0: the debt. */
export function balanceOf({ context, address }: Place): number {
  return Number(context.words.load64(officeOf(address) + BALANCE) >> 32n);
}

export function availability(place: Place): string {
  const { context, address, tag } = place;
  if (context.words.load32(address + BLOCK_TAG) !== tag) return '0 available';
  const balance = balanceOf(place);
  const debt = balance < 0 ? `, a debt of ${-balance}` : '';
  return `${Math.max(0, balance)} of ${Number(context.words.load64(address + CAPACITY))} available${debt}`;
}
