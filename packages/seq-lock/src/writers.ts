// The mutex of a seq-lock's writers. Unlike other mutexes it gives no notice of a death: a writer that dies leaves
// nothing half changed (sequence.ts).

import type { ClosedError, WaitingPolicy, WaitOptions } from '@sluice/core';
import { CONSISTENT, IDLE, TAKEN } from '@sluice/core/format';
import { refuseToBlock, reserveStack } from '@sluice/core/calls';
import { mayBlock, type LineState, type BlockRef } from '@sluice/core/internal';
import { MutexParts, type MutexReport, type MutexSteps } from '@sluice/mutex/internal';
import { SEQ_LOCK } from './kinds.ts';

export const NAMING = { className: 'SeqLock', what: 'The seq-lock' };

export class Writers {
  readonly #parts: MutexParts;
  // Fields of the uncontended paths, as in `Mutex`.
  readonly #lineState: LineState;
  readonly #id: number;
  readonly #lock: MutexSteps['lockMutex'];
  readonly #lockOnce: MutexSteps['lockMutex'];
  readonly #unlock: MutexSteps['unlockMutex'];

  constructor(ref: BlockRef, policy: WaitingPolicy) {
    this.#parts = new MutexParts(ref, policy, SEQ_LOCK, NAMING);
    const { kernel, entrance } = this.#parts;
    this.#lineState = entrance.lineState;
    this.#id = ref.context.id;
    this.#lock = mayBlock() ? kernel.lockMutex : refuseToBlock;
    this.#lockOnce = kernel.lockMutex;
    this.#unlock = kernel.unlockMutex;
  }

  /** The block, with the tag that it has until it is freed. The tag changes when this agent leaves the arena. */
  get block(): { readonly block: number; readonly tag: number } {
    return this.#lineState;
  }

  /** Locks as `Mutex.lock` does, but never throws `OwnerDiedError`. */
  lock(): void {
    reserveStack();
    const { block, tag } = this.#lineState;
    if (this.#lock(block, tag, this.#id) === TAKEN) return;
    const { entrance } = this.#parts;
    if (entrance.isOwner()) throw entrance.errors.ownedAlready();
    entrance.enter();
    this.#settle();
  }

  /** Locks as `Mutex.tryLock` does, but never throws `OwnerDiedError`. */
  tryLock(timeoutMs = 0): boolean {
    reserveStack();
    const { block, tag } = this.#lineState;
    if (this.#lockOnce(block, tag, this.#id) === TAKEN) return true;
    const { entrance } = this.#parts;
    if (timeoutMs === Infinity && entrance.isOwner()) throw entrance.errors.ownedAlready();
    if (!entrance.tryEnter(timeoutMs)) return false;
    this.#settle();
    return true;
  }

  unlock(): void {
    const { block, tag } = this.#lineState;
    if (this.#unlock(block, tag, this.#id) === IDLE) return;
    reserveStack();
    const { entrance, way } = this.#parts;
    if (way.passOn?.() === true) return;
    if (!entrance.isOwner()) throw entrance.errors.notOwner('be unlocked');
    entrance.health.beforeUnlock();
    entrance.exit();
  }

  /**
   * Waits without blocking the thread. Then calls `act` and unlocks in the turn of the event loop in which it gets the
   * mutex. In a later turn, another call of this agent would find the mutex owned by its own agent. Rejects as
   * `lockAsync` does, but never with `OwnerDiedError`, and with errors of `act`.
   */
  async runInTurn(act: () => void, options?: WaitOptions): Promise<void> {
    reserveStack();
    const thrown: unknown[] = [];
    await this.#parts.entrance.enterAsync(options, () => {
      this.#settle();
      try {
        act();
      } catch (failure) {
        thrown.push(failure);
      }
      this.unlock();
    });
    if (thrown.length > 0) throw thrown[0];
  }

  /**
   * Whether a blocking call may wait in line: this thread may block and has no async wait there. The blocked thread
   * would wait for that async wait.
   */
  get mayStandInLine(): boolean {
    return mayBlock() && this.#parts.entrance.waitLine.asyncWaits === 0;
  }

  /** Whether this agent owns the mutex. */
  get owned(): boolean {
    return this.#parts.entrance.isOwner();
  }

  /** Returns the title of the seq-lock. */
  toString(): string {
    return this.#parts.entrance.errors.toString();
  }

  /** Throws `MisuseError` if the seq-lock was freed, or this agent has left the arena. */
  check(): void {
    this.#parts.entrance.checkThere();
  }

  closed(): ClosedError {
    return this.#parts.entrance.errors.closed('Nothing was written.');
  }

  report(): MutexReport {
    return this.#parts.report();
  }

  /** Frees the block. Throws `MisuseError` if an agent owns the mutex or waits for it. */
  free(): void {
    this.#parts.entrance.free();
  }

  #settle(): void {
    const { health } = this.#parts.entrance;
    if (health.inherit() !== CONSISTENT) health.markConsistent();
  }
}
