// What notifies a condition's waiters, and moves those that sleep to the line of its lock.

import {
  AGENT_DUTY_KIND,
  AGAIN,
  asCorrupt,
  corrupt,
  ELEMENT_STRIDE,
  GATE,
  HEADER_TOP,
  IDLE,
  mayRetry,
  NEEDS_WALK,
  RACED,
  reserveStack,
  SHUT,
  TAKEN,
  titleOf,
  WAITING,
  type LineAddress,
  type LocalState,
  type LockLine,
  type Place,
} from '@sluice/core/internal';
import type { ConditionKernel } from './kinds.ts';

/** A lock of another package brings its own step. */
type Moves = Pick<ConditionKernel, 'moveToMutex'> & { readonly moveToWriter: ConditionKernel['moveToMutex'] };

/** After so many parts of a walk the core's own loop takes over, which detects a chain without an end. */
const MOST_PARTS = 4096;

/** Notifications between two checks that they have an end. */
const BETWEEN_LOOKS = 4096;

export class Notifier {
  readonly #place: Place;
  readonly #localState: LocalState;
  readonly #line: LineAddress;
  readonly #notifyOne: ConditionKernel['notifyCondition'];
  readonly #move: ConditionKernel['moveToMutex'];

  constructor(place: Place, localState: LocalState, sort: LockLine['sort']) {
    const kernel = place.context.kernel as ConditionKernel & Moves;
    this.#place = place;
    this.#localState = localState;
    this.#line = place.address;
    this.#notifyOne = kernel.notifyCondition;
    this.#move = sort === 'mutex' ? kernel.moveToMutex : kernel.moveToWriter;
  }

  /**
   * Notifies up to `most` waiters, one after the other, so that each enters the line of the lock before the next.
   * Returns their number, or SHUT: the condition was freed.
   */
  notify(most: number): number {
    // What a step detaches must be walked.
    reserveStack();
    const { agent, words } = this.#place.context;
    const { tag } = this.#localState;
    let tries = 0;
    let unlinked = 0;
    try {
      for (let count = 0; count < most; ) {
        const notified = this.#notifyOne(this.#line, tag, agent);
        if (notified === RACED) {
          mayRetry(++tries);
          continue;
        }
        if (notified === WAITING) return count;
        if (notified === SHUT) return SHUT;
        if (notified === NEEDS_WALK) this.#deliver();
        count += 1;
        // In damaged memory the tickets have no end.
        unlinked = notified === NEEDS_WALK ? 0 : unlinked + 1;
        if (unlinked > 0 && unlinked % BETWEEN_LOOKS === 0 && unlinked > words.load32(HEADER_TOP) / ELEMENT_STRIDE)
          throw corrupt(`it notified ${unlinked} waiters without an element`);
      }
      return most;
    } catch (failure) {
      throw asCorrupt(failure, titleOf('Condition', this.#place));
    }
  }

  /** Walks what the step detached. */
  #deliver(): void {
    const { context } = this.#place;
    const { agent, waiting, words } = context;
    let tries = 0;
    for (let parts = 0; parts < MOST_PARTS; parts++) {
      const moved = this.#move(this.#line, agent);
      if (moved === RACED) {
        mayRetry(++tries);
        continue;
      }
      // After TAKEN the walk places what was moved.
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
