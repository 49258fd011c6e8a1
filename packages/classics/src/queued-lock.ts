// The base of the MCS, the LIFO and the reciprocating lock. They differ only in the waiter that the owner serves next.
// Words, states and invariants: kernel/queued.ts.

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
  // The fields of the uncontended paths. Numbers come from the local state if it has them: the engine knows that its
  // fields are integers.
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
   * Acquires the lock, blocking until this agent owns it.
   *
   * @throws {MisuseError} If this agent already owns the lock. Also on a browser's main thread; use `lockAsync`.
   * @throws {OwnerDiedError} If an owner died; it has the guard, if the lock can be acquired.
   * @throws {DeadlockError} If a pending async wait of this agent may be granted the lock and cannot run.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override lock(): void {
    const { block, tag } = this.#localState;
    if (this.#take(block, tag, this.#id) !== TAKEN) super.lock();
  }

  /**
   * Acquires the lock if it becomes available within `timeoutMs` ms. With 0, the default, it does not wait. Returns
   * whether this agent owns the lock now. Never barges.
   *
   * The classic algorithm has no timeouts. This one has: the place of a waiter that timed out stays in the queue, takes
   * 64 bytes, and is skipped when its turn comes. If the agent waits again before that, it takes up its place again.
   *
   * @throws The errors of `lock`; `MisuseError` and `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { block, tag } = this.#localState;
    return this.#takeOnce(block, tag, this.#id) === TAKEN || super.tryLock(timeoutMs);
  }

  /**
   * Hands the lock to the next waiter.
   *
   * @throws {MisuseError} If this agent does not own the lock.
   */
  override unlock(): void {
    const { block, tag } = this.#localState;
    if (this.#give(block, tag, this.#id) !== IDLE) super.unlock();
  }

  /** Returns a snapshot: the owner, the waiters and the start of each wait, and whether an owner died. */
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
    // Not a copy of the step: an agent that leaves the arena replaces the step.
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
