// The notifier of a condition. It notifies waiters and moves sleeping ones to the line of the lock.

import {
  AGENT_DUTY_KIND,
  AGAIN,
  GATE,
  IDLE,
  NEEDS_WALK,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type LineAddress,
} from '@sluice/core/format';
import { reserveStack } from '@sluice/core/calls';
import {
  asCorrupt,
  checkLength,
  retryOrThrow,
  titleOf,
  type LineState,
  type LockLine,
  type BlockRef,
} from '@sluice/core/internal';
import type { ConditionKernel } from './kinds.ts';

/** The number of parts of a walk after which the core's own loop takes over. That loop detects an endless chain. */
const MAX_PARTS = 4096;

/** The number of notifications between two checks for endless tickets. */
const BETWEEN_CHECKS = 4096;

export class Notifier {
  readonly #ref: BlockRef;
  readonly #lineState: LineState;
  readonly #line: LineAddress;
  readonly #notifyOne: (
    line: LineAddress,
    tag: number,
    agent: AgentAddress,
  ) => ReturnType<ConditionKernel['notifyCondition']>;
  readonly #lock: LockLine;

  constructor(ref: BlockRef, lineState: LineState, lock: LockLine) {
    const kernel = ref.context.kernel as ConditionKernel;
    this.#ref = ref;
    this.#lineState = lineState;
    this.#line = ref.address;
    const { notifyCondition, notifyAndMoveToMutex } = kernel;
    const { address, tag } = lock.ref;
    // Only for a mutex does the condition's kernel have one step that also moves the waiter.
    this.#notifyOne =
      'endTurn' in lock ? (line, own, agent) => notifyAndMoveToMutex(line, own, agent, address, tag) : notifyCondition;
    this.#lock = lock;
  }

  /**
   * Notifies up to `most` waiters, one after the other. Each enters the line of the lock before the next is notified.
   * Returns the number of waiters notified, or SHUT if the condition was freed.
   */
  notify(most: number): number {
    // A stack overflow after a step has detached a chain would leave the chain without a walk.
    reserveStack();
    const { agent, words } = this.#ref.context;
    const { tag } = this.#lineState;
    let tries = 0;
    let unlinked = 0;
    try {
      for (let count = 0; count < most; ) {
        const notified = this.#notifyOne(this.#line, tag, agent);
        if (notified === RACED) {
          retryOrThrow(++tries);
          continue;
        }
        if (notified === WAITING) return count;
        if (notified === SHUT) return SHUT;
        if (notified === NEEDS_WALK) this.#deliver();
        count += 1;
        // In damaged memory the tickets have no end.
        unlinked = notified === NEEDS_WALK ? 0 : unlinked + 1;
        if (unlinked > 0 && unlinked % BETWEEN_CHECKS === 0)
          checkLength(words, unlinked, `it notified ${unlinked} waiters without an element`);
      }
      return most;
    } catch (failure) {
      throw asCorrupt(failure, titleOf('Condition', this.#ref));
    }
  }

  /** Walks the chain that the step detached. */
  #deliver(): void {
    const { context } = this.#ref;
    const { agent, waiting, words } = context;
    let tries = 0;
    for (let parts = 0; parts < MAX_PARTS; parts++) {
      const moved = this.#lock.move(this.#line, agent);
      if (moved === RACED) {
        retryOrThrow(++tries);
        continue;
      }
      // After TAKEN the walk places the moved element.
      const next = waiting.walk(agent);
      if (next === IDLE) {
        if (words.get32(agent + AGENT_DUTY_KIND) === 0) return;
        break;
      }
      if (next !== AGAIN) context.parking.notify(next + GATE);
      if (moved === TAKEN) tries = 0;
    }
    context.finishWalk();
  }
}
