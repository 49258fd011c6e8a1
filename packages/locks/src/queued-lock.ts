// What the MCS, the LIFO and the reciprocating lock have in common: all but whom their owner takes next. Words, states and
// invariants: core's kernel/queued.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  checkTimeout,
  IDLE,
  mayBlock,
  mayRetry,
  ownerOrReceiver,
  PlacedLock,
  RACED,
  refuseToBlock,
  TAKEN,
  type Kernel,
  type LockShape,
  type Place,
  type LocalState,
  type Visit,
} from '@sluice/core/internal';
import { reportLock, type LockReport } from './report.ts';

export abstract class QueuedLock<Kind extends string> extends PlacedLock {
  // What the uncontended paths need, each a field of its own: a lookup less per call.
  readonly #lock: number;
  readonly #localState: LocalState;
  readonly #id: number;
  readonly #take: Kernel['lock'];
  readonly #takeOnce: Kernel['lock'];
  readonly #give: Kernel['unlock'];
  readonly #kind: Kind;

  protected constructor(place: Place, policy: WaitingPolicy, shape: LockShape, kind: Kind) {
    super(place, policy, shape);
    const { kernel, id } = place.context;
    this.#lock = place.address;
    this.#localState = this.bouncer.localState;
    this.#id = id;
    this.#take = mayBlock() ? kernel.lock : refuseToBlock;
    this.#takeOnce = kernel.lock;
    this.#give = kernel.unlock;
    this.#kind = kind;
  }

  /**
   * Blocks until this agent owns the lock. Throws `MisuseError` (it owns it already; on a browser's main thread),
   * `OwnerDiedError` (with the guard, if it is to be had), `DeadlockError` (an async wait of this same agent is pending, which may
   * get the lock and cannot go on), `ArenaFullError`.
   */
  override lock(): void {
    if (this.#take(this.#lock, this.#localState.tag, this.#id) !== TAKEN) super.lock();
  }

  /**
   * Waits `timeoutMs` ms at the most, with 0 not at all; whether this agent owns the lock now. Never barges. Throws as
   * `lock`; `MisuseError` and `DeadlockError` only without an end (`Infinity`).
   *
   * The classic algorithm cannot be given up. This one can; the place stays, costs 64 bytes, and is passed by when its turn
   * comes: who polls a lock that is held for long should use 0.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#takeOnce(this.#lock, this.#localState.tag, this.#id) === TAKEN || super.tryLock(timeoutMs);
  }

  /** Hands the lock to the next one. Throws `MisuseError` when this agent does not own it. */
  override unlock(): void {
    if (this.#give(this.#lock, this.#localState.tag, this.#id) !== IDLE) super.unlock();
  }

  /** Who owns it, who waits and since when, and what is known of owners that died: a snapshot. */
  inspect(): LockReport<Kind> {
    this.checkThere();
    return reportLock(this.#kind, this.place, ownerOrReceiver(this.context.words, this.place.address), this.bouncer.inspect());
  }

  protected override visitOf({ context: { kernel, agent }, address, tag }: Place): Visit {
    return (mayWait) => kernel.enqueueAtQueuedLock(address, tag, agent, mayWait);
  }

  protected override exit(): void {
    const { kernel, context, place } = this;
    let next: number;
    let tries = 0;
    do next = kernel.handOverQueued(place.address, context.agent, context.id);
    while (next === RACED && mayRetry(++tries));
    if (next > IDLE) context.notify(next);
  }
}
