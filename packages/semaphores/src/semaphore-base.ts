// The base of the priority semaphore and of the papers' semaphores of @sluice/classics: a block with the counters of a
// semaphore, permits, and an end.

import { DEFAULT_POLICY, type PrimitiveHandle, type WaitingPolicy } from '@sluice/core';
import { IDLE, NEEDS_WALK, OVER_BOUND, RACED, SHUT } from '@sluice/core/format';
import { MAX_PERMITS, overMax } from '@sluice/core/calls';
import {
  asCorrupt,
  handleTo,
  retryOrThrow,
  SemaphoreBlock,
  type PermitsBehaviour,
  type BlockRef,
  type Kind,
} from '@sluice/core/internal';
import type { ReleaseOrTell } from './kernel/release.ts';
import type { Capabilities } from './capabilities.ts';

/** The place of a semaphore, and how this agent waits for it. */
export interface Membership {
  readonly ref: BlockRef;
  readonly policy: WaitingPolicy;
}

/** The traits that a class of semaphores gives to its base. */
export interface SemaphoreTraits extends PermitsBehaviour {
  readonly className: string;
  readonly kind: Kind<never>;
}

/** A semaphore whose releases may leave work for the walk. `capabilities` of a class lists its limits. */
export abstract class SemaphoreBase<Name extends string> extends SemaphoreBlock {
  /** The handle to post to another thread. Pass it to `from` of the same class there. */
  readonly handle: PrimitiveHandle<Name>;

  /** `membership` is `undefined` if a caller uses `new` itself. */
  protected constructor(membership: Membership | undefined, { className, ...behaviour }: SemaphoreTraits) {
    const { ref, policy } = membership ?? NOWHERE;
    super(ref, policy, className, behaviour);
    this.handle = handleTo(behaviour.kind.name as Name, this.ref, behaviour.kind.kernel.id);
  }

  abstract get capabilities(): Capabilities;

  /**
   * Takes all free permits at once, without waiting. Returns their number.
   *
   * @throws {ClosedError} If the semaphore is closed.
   */
  drain(): number {
    let all = 0;
    for (let tries = 1; ; tries++) {
      const taken = this.drainOnce();
      if (taken === SHUT) throw this.shut();
      if (taken !== RACED) all += taken;
      // More permits may be free than one step can take.
      if (taken !== RACED && taken < MAX_PERMITS) return all;
      retryOrThrow(tries, this);
    }
  }

  /** Closes the semaphore: every waiter and every later caller gets `ClosedError`. Closing again has no effect. */
  abstract close(): void;

  override free(): void {
    // Also for a closed semaphore: the agent that closed it may have died before it woke the waiters.
    if (!this.isOpen || this.waiting === 0) this.close();
    super.free();
  }

  /** Makes one attempt to take all free permits. Returns their number, or RACED, or SHUT. */
  protected abstract drainOnce(): number;

  /** Creates the error of a call that waited when the semaphore was closed. It may have been freed since. */
  protected shutInLine(): Error {
    return this.errors.closed();
  }

  protected shut(): Error {
    this.checkThere();
    return this.errors.closed();
  }

  /**
   * Handles the result of the kernel's release step. Permits may be released to a closed semaphore, but no waiter gets
   * them.
   */
  protected finishRelease(released: ReleaseOrTell, permits: number): void {
    if (released === SHUT) return this.checkThere();
    if (released === OVER_BOUND) throw overMax(permits, this.max, this.toString(), this.available);
    if (released !== IDLE && released !== NEEDS_WALK && released !== RACED) this.context.notify(released);
    if (released === IDLE) return;
    try {
      this.context.finishWalk();
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }
}

/** The membership if a caller uses `new` itself. */
const NOWHERE: { readonly ref: BlockRef | undefined; readonly policy: WaitingPolicy } = {
  ref: undefined,
  policy: DEFAULT_POLICY,
};
