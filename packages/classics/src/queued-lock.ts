// The base of the MCS, the LIFO and the reciprocating lock. They differ only in the waiter that the owner serves next.
// Words, states and invariants: kernel/queued.ts.

import { OwnedLock, type Arena, type WaitingPolicy } from '@sluice/core';
import { IDLE, TAKEN } from '@sluice/core/format';
import { checkTimeout, INSPECT, refuseToBlock } from '@sluice/core/calls';
import {
  isElement,
  mayBlock,
  BlockEntrance,
  retryWhileRaced,
  type LockShape,
  type BlockRef,
  type LineState,
} from '@sluice/core/internal';
import { ownerOrReceiver } from '@sluice/core/report';
import type { LocksKernel, LockSteps } from './kinds.ts';
import { reportLock, type LockReport } from './report.ts';

/** The differences between the locks of this file's base: their names, the behaviour of their queues, their kinds. */
export type QueueShape = Omit<LockShape, 'enterOrEnqueue' | 'exit'>;

const enterOrEnqueueAt: LockShape['enterOrEnqueue'] = ({ context: { kernel, agent }, address, tag }) => {
  // Not a copy of the step: an agent that leaves the arena replaces the step.
  const steps = kernel as LocksKernel;
  return (mayWait) => steps.enqueueAtQueuedLock(address, tag, agent, mayWait);
};

const handOver: LockShape['exit'] = ({ ref: { address, context }, errors }) => {
  const { handOverQueued } = context.kernel as LocksKernel;
  const next = retryWhileRaced(() => handOverQueued(address, context.agent, context.id), errors);
  if (isElement(next)) context.notify(next);
};

export abstract class QueuedLock<Kind extends string> extends OwnedLock {
  readonly #entrance: BlockEntrance;
  // The fields of the uncontended paths. Numbers come from the line state if it has them: the engine knows that its
  // fields are integers.
  readonly #lineState: LineState;
  readonly #id: number;
  readonly #take: LockSteps['lockQueued'];
  readonly #takeOnce: LockSteps['lockQueued'];
  readonly #give: LockSteps['unlockQueued'];
  readonly #kind: Kind;

  protected constructor(ref: BlockRef, policy: WaitingPolicy, shape: QueueShape, kind: Kind) {
    const entrance = new BlockEntrance(ref, policy, { ...shape, enterOrEnqueue: enterOrEnqueueAt, exit: handOver });
    super(entrance);
    const kernel = ref.context.kernel as LocksKernel;
    this.#entrance = entrance;
    this.#lineState = entrance.lineState;
    this.#id = ref.context.id;
    this.#take = mayBlock() ? kernel.lockQueued : refuseToBlock;
    this.#takeOnce = kernel.lockQueued;
    this.#give = kernel.unlockQueued;
    this.#kind = kind;
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    return this.#entrance.name;
  }

  /** The arena that contains the lock. */
  get arena(): Arena {
    return this.#entrance.ref.arena;
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
    const { block, tag } = this.#lineState;
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
    const { block, tag } = this.#lineState;
    return this.#takeOnce(block, tag, this.#id) === TAKEN || super.tryLock(timeoutMs);
  }

  /**
   * Hands the lock to the next waiter.
   *
   * @throws {MisuseError} If this agent does not own the lock.
   */
  override unlock(): void {
    const { block, tag } = this.#lineState;
    if (this.#give(block, tag, this.#id) !== IDLE) super.unlock();
  }

  /** Returns a snapshot: the owner, the waiters and the start of each wait, and whether an owner died. */
  inspect(): LockReport<Kind> {
    const { ref, waitLine } = this.#entrance;
    this.#entrance.checkThere();
    return reportLock(this.#kind, ref, ownerOrReceiver(ref.context.words, ref.address), waitLine.inspect());
  }

  /**
   * Frees the lock's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the lock. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent owns the lock or waits for it, or it was already freed.
   */
  free(): void {
    this.#entrance.free();
  }

  override [INSPECT](): string {
    return this.#entrance.view(() => this.inspect());
  }
}
