// The way into a mutex with the order 'turns'. A running agent may lock the mutex again before the waiters until its
// turn is over.

import type { WaitingPolicy } from '@sluice/core';
import {
  CONSISTENT,
  HEALTH,
  NOT_SEEN,
  OFFICE_HIGH,
  RACED,
  TAKEN,
  WAITING,
  type Enqueue,
  type HandOver,
  type ElementAddress,
} from '@sluice/core/format';
import { reserveStack } from '@sluice/core/calls';
import {
  asCorrupt,
  blockInLine,
  retryOrThrow,
  OwnTurn,
  perLineState,
  turnToTake,
  type PrimitiveErrors,
  type LineState,
  type BlockRef,
  type BlockEntrance,
} from '@sluice/core/internal';
import { InOrder } from './in-order.ts';
import { ENQUEUE_WITH_SPARE, SUCCESSOR } from './kernel/layout.ts';
import { WAITERS } from './kernel/word.ts';
import type { MutexKernel, MutexSteps } from './kinds.ts';
import { MUTEX_TRAITS } from './turn-traits.ts';
import type { ContendedPath } from './contended-path.ts';

/**
 * The turns of an agent, for all its objects of a mutex. With one for each object, the calls of an agent that opens the
 * mutex for each of them would begin a turn each.
 */
const turnAt = /* @__PURE__ */ perLineState((ref) => new OwnTurn(ref, MUTEX_TRAITS));

export class InTurns implements ContendedPath {
  readonly turn: OwnTurn;
  readonly #ref: BlockRef;
  readonly #enqueue: MutexSteps['enqueueAtMutex'];
  readonly #lineState: LineState;
  readonly #policy: WaitingPolicy;
  readonly #errors: PrimitiveErrors;
  readonly #entrance: BlockEntrance;
  readonly #leaveOnce: (ends: number) => HandOver | ElementAddress;
  /** An owner that then waits for a condition leaves as with the order 'fifo'. */
  readonly #inOrder: InOrder;

  constructor(entrance: BlockEntrance, policy: WaitingPolicy) {
    const { ref, errors } = entrance;
    const {
      address,
      context: { agent, id },
    } = ref;
    const kernel = ref.context.kernel as MutexKernel;
    this.turn = turnAt(ref);
    this.#ref = ref;
    this.#enqueue = kernel.enqueueAtMutex;
    this.#lineState = entrance.lineState;
    this.#policy = policy;
    this.#errors = errors;
    this.#entrance = entrance;
    this.#leaveOnce = (ends) => kernel.handOverMutex(address, agent, id, ends);
    this.#inOrder = new InOrder(entrance, policy);
  }

  enter(): number {
    reserveStack();
    const { context } = this.#ref;
    const { block, tag } = this.#lineState;
    let drawn: Enqueue;
    try {
      drawn = this.#enqueue(block, tag, context.agent, ENQUEUE_WITH_SPARE, NOT_SEEN);
      // RACED: another agent was faster, or the mutex is free during another agent's turn.
      for (let tries = 1; drawn === RACED; tries++) {
        retryOrThrow(tries);
        drawn = this.#enqueue(block, tag, context.agent, ENQUEUE_WITH_SPARE, turnToTake(this.#ref));
      }
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
    if (drawn !== TAKEN && !(drawn > 0)) return WAITING;
    // Lost wake-up, waiter side: the wait links its element before it reads grant again. Pairs with `passMutex`.
    if (blockInLine(context, this.#lineState, drawn, this.#policy, Infinity, this.#errors) !== TAKEN)
      this.#entrance.checkThere();
    return context.words.load32(block + HEALTH);
  }

  leave(): void {
    const { asyncWaits } = this.#lineState;
    if (asyncWaits.size === 0) return this.turn.leave(this.#leaveOnce);
    if (this.#goesOnHere() && asyncWaits.passOn()) return;
    this.turn.leave(this.#leaveOnce);
    // The mutex may have gone to the next of this agent's own waits.
    asyncWaits.settleOwn(1);
  }

  /**
   * Returns whether this agent's turn goes on for the next of its own waits. A mutex with a notice goes to the longest
   * waiter.
   */
  #goesOnHere(): boolean {
    const {
      context: { words },
      address,
    } = this.#ref;
    if (words.load32(address + HEALTH) !== CONSISTENT) return false;
    const high = words.load32(address + OFFICE_HIGH);
    const waiters = (high >>> WAITERS) + ((high & SUCCESSOR) === 0 ? 0 : 1);
    return this.turn.goesOnHere(waiters > this.#lineState.asyncWaits.size);
  }

  endTurn(): void {
    this.turn.end();
  }

  unlockToWait(): void {
    this.turn.end();
    this.#inOrder.unlockToWait();
  }
}
