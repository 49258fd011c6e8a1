// The way into a mutex with the order 'fifo': each unlock hands the mutex to the longest waiter.

import type { WaitingPolicy } from '@sluice/core';
import { HEALTH, IDLE, NEEDS_WALK, NOT_SEEN, TAKEN, WAITING, type Enqueue } from '@sluice/core/format';
import { reserveStack } from '@sluice/core/calls';
import {
  asCorrupt,
  blockInLine,
  isElement,
  retryWhileRaced,
  wakeNext,
  type PrimitiveErrors,
  type LineState,
  type BlockRef,
  type BlockEntrance,
} from '@sluice/core/internal';
import { ENQUEUE_WITH_SPARE } from './kernel/layout.ts';
import type { MutexKernel, MutexSteps } from './kinds.ts';
import type { ContendedPath } from './contended-path.ts';

export class InOrder implements ContendedPath {
  // Two steps have fields of their own. With many threads the engine interprets these calls, and each property look-up
  // costs time.
  readonly #ref: BlockRef;
  readonly #kernel: MutexKernel;
  readonly #enqueue: MutexSteps['enqueueAtMutex'];
  readonly #passInOrder: MutexSteps['passMutexInOrder'];
  readonly #lineState: LineState;
  readonly #policy: WaitingPolicy;
  readonly #errors: PrimitiveErrors;
  readonly #entrance: BlockEntrance;

  constructor(entrance: BlockEntrance, policy: WaitingPolicy) {
    const { ref, errors } = entrance;
    this.#ref = ref;
    this.#kernel = ref.context.kernel as MutexKernel;
    this.#enqueue = this.#kernel.enqueueAtMutex;
    this.#passInOrder = this.#kernel.passMutexInOrder;
    this.#lineState = entrance.lineState;
    this.#policy = policy;
    this.#errors = errors;
    this.#entrance = entrance;
  }

  enter(): number {
    reserveStack();
    const { context } = this.#ref;
    const { block, tag } = this.#lineState;
    let drawn: Enqueue;
    try {
      drawn = this.#enqueue(block, tag, context.agent, ENQUEUE_WITH_SPARE, NOT_SEEN);
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
    if (drawn !== TAKEN && !(drawn > 0)) return WAITING;
    // Lost wake-up, waiter side: the wait links its element before it reads grant again. Pairs with `passMutexInOrder`.
    if (blockInLine(context, this.#lineState, drawn, this.#policy, Infinity, this.#errors) !== TAKEN)
      this.#entrance.checkThere();
    return context.words.load32(block + HEALTH);
  }

  passOn(): boolean {
    const { context } = this.#ref;
    const { block, tag } = this.#lineState;
    let passed: ReturnType<MutexSteps['passMutexInOrder']>;
    try {
      passed = this.#passInOrder(block, tag, context.agent, context.id);
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
    if (passed > 0 || passed === NEEDS_WALK) wakeNext(context, block, this.#policy, passed);
    return passed > 0 || passed === NEEDS_WALK || passed === IDLE;
  }

  leave(): void {
    const {
      context,
      context: { agent, id },
      address,
    } = this.#ref;
    const passed = retryWhileRaced(() => this.#kernel.handOverMutex(address, agent, id, 1), this.#errors);
    if (isElement(passed)) context.notify(passed);
    else this.#entrance.waitLine.wake(passed);
  }

  endTurn(): void {
    // Each pass is a turn.
  }

  unlockToWait(): void {
    reserveStack();
    if (this.passOn()) return;
    this.#entrance.health.beforeUnlock();
    this.leave();
  }
}
