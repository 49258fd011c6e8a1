// What the MCS, the LIFO and the reciprocating lock share: everything except which waiter the owner serves next. Words,
// states and invariants: kernel/queued.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  checkTimeout,
  IDLE,
  isElement,
  mayBlock,
  mayRetry,
  ownerOrReceiver,
  PlacedLock,
  RACED,
  refuseToBlock,
  TAKEN,
  type LockShape,
  type Place,
  type LocalState,
  type Visit,
} from '@sluice/core/internal';
import type { LocksKernel, LockSteps } from './kinds.ts';
import { reportLock, type LockReport } from './report.ts';

export abstract class QueuedLock<Kind extends string> extends PlacedLock {
  // What the uncontended paths need. Numbers come from the local state where it has them: the engine knows its fields
  // to be integers.
  readonly #localState: LocalState;
  readonly #id: number;
  readonly #take: LockSteps['lockQueued'];
  readonly #takeOnce: LockSteps['lockQueued'];
  readonly #give: LockSteps['unlockQueued'];
  readonly #kind: Kind;

  protected constructor(place: Place, policy: WaitingPolicy, shape: LockShape, kind: Kind) {
    super(place, policy, shape);
    const {
      kernel,
      context: { id },
    } = this;
    this.#localState = this.bouncer.localState;
    this.#id = id;
    this.#take = mayBlock() ? kernel.lockQueued : refuseToBlock;
    this.#takeOnce = kernel.lockQueued;
    this.#give = kernel.unlockQueued;
    this.#kind = kind;
  }

  protected override get kernel(): LocksKernel {
    return super.kernel as LocksKernel;
  }

  /**
   * Acquires the lock, blocking until this agent owns it. Throws `MisuseError` (this agent owns it already; on a
   * browser's main thread), `OwnerDiedError` (with the guard, if the lock can be acquired), `DeadlockError` (a pending
   * async wait of this same agent may be granted the lock and cannot run), `ArenaFullError`.
   */
  override lock(): void {
    const { block, tag } = this.#localState;
    if (this.#take(block, tag, this.#id) !== TAKEN) super.lock();
  }

  /**
   * Waits at most `timeoutMs` ms, with 0 not at all. Returns whether this agent owns the lock now. Never barges. Throws
   * as `lock`; `MisuseError` and `DeadlockError` only with `Infinity`.
   *
   * The classic algorithm has no timeouts; this one does. The place of a waiter that timed out stays in the queue,
   * takes 64 bytes, and is skipped when its turn comes. If the agent waits again before that, it takes up its place
   * again.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { block, tag } = this.#localState;
    return this.#takeOnce(block, tag, this.#id) === TAKEN || super.tryLock(timeoutMs);
  }

  /** Hands the lock to the next waiter. Throws `MisuseError` if this agent does not own it. */
  override unlock(): void {
    const { block, tag } = this.#localState;
    if (this.#give(block, tag, this.#id) !== IDLE) super.unlock();
  }

  /** A snapshot: the owner, the waiters and since when they wait, and whether an owner died. */
  inspect(): LockReport<Kind> {
    this.checkThere();
    return reportLock(
      this.#kind,
      this.place,
      ownerOrReceiver(this.context.words, this.place.address),
      this.bouncer.inspect(),
    );
  }

  protected override visitOf({ context, address, tag }: Place): Visit {
    // Not the step itself: an agent that leaves the arena replaces it.
    const { agent } = context;
    const steps = context.kernel as LocksKernel;
    return (mayWait) => steps.enqueueAtQueuedLock(address, tag, agent, mayWait);
  }

  protected override exit(): void {
    const { kernel, context, place } = this;
    let next: ReturnType<LockSteps['handOverQueued']>;
    let tries = 0;
    do next = kernel.handOverQueued(place.address, context.agent, context.id);
    while (next === RACED && mayRetry(++tries, this));
    if (isElement(next)) context.notify(next);
  }
}
