// Closes a buffer, and takes both locks for good before its memory is freed.
//
// The producers' side closes at once. The consumers' side closes when the last value is out. The agent that closes the
// buffer, or takes that value, closes the side. With `jsEngine` an agent may die in the middle of its close and leave
// the consumers' side open. Closing again closes it.

import { MisuseError } from '@sluice/core';
import { BLOCK_TAG, OFFICE } from '@sluice/core/format';
import { reserveStack } from '@sluice/core/calls';
import { finishPending, type PrimitiveErrors, type BlockRef } from '@sluice/core/internal';
import { agentsText } from '@sluice/core/report';
import { BUFFER } from './kinds.ts';
import { ahead, CONSUMERS, lineAt, LOCK, MORE, PRODUCERS, HEAD_LINE, VALUES } from './lines.ts';
import type { Side } from './side.ts';

/**
 * The time that `free` of a closed buffer waits for the lock of a side, in ms. The close has woken waiters, and each of
 * them takes the lock for a moment to learn that the buffer is closed.
 */
const SEIZE_MS = 100;

export class Closing {
  readonly #ref: BlockRef;
  readonly #producers: Side;
  readonly #consumers: Side;

  constructor(ref: BlockRef, producers: Side, consumers: Side) {
    this.#ref = ref;
    this.#producers = producers;
    this.#consumers = consumers;
  }

  /** Closes the buffer, once no agent is putting a value in. Throws `MisuseError` if this agent is putting one in. */
  close(): void {
    if (this.#isOpen() && this.#producers.lock.lock()) this.#shut();
  }

  async closeAsync(): Promise<void> {
    if (this.#isOpen()) await this.#producers.lock.lockAsync({}, () => this.#shut());
  }

  /** Returns whether the producers' side is open. Otherwise a close has begun before, and this call completes it. */
  #isOpen(): boolean {
    this.#producers.lock.refuseToNest();
    reserveStack();
    if (!this.#producers.lines.isClosed) return true;
    this.#closeConsumers();
    return false;
  }

  get isFreed(): boolean {
    const { context, address, tag } = this.#ref;
    return context.words.load32(address + BLOCK_TAG) !== tag;
  }

  /** Creates the error of a `free` that could not take both locks. */
  inUse(errors: PrimitiveErrors): MisuseError {
    const { context } = this.#ref;
    const owner = [this.#producers, this.#consumers]
      .map(({ address }) => context.words.load32(address + OFFICE))
      .find((id) => id > 0);
    if (!this.#producers.lines.isClosed && owner === undefined) return errors.inUse(' Close it first.');
    const user = owner === undefined ? 'another agent' : agentsText(context, [owner]);
    return new MisuseError(
      `${errors.toString()} is in use and cannot be freed: ${user} is inside a call of it, or has an open claim or peek. Nothing was changed. Let that call end first.`,
    );
  }

  /** Takes both locks for good, if no agent owns one and no agent waits. Returns whether it did. */
  seize(): boolean {
    // First finishes recoveries that only an agent with this kind can finish: a dead agent must not count as a waiter.
    finishPending(this.#ref.context);
    const { isClosed } = this.#producers.lines;
    if (!seizeSide(this.#producers, isClosed)) return false;
    if (seizeSide(this.#consumers, isClosed)) return true;
    this.#producers.commit(0, 0);
    return false;
  }

  /**
   * Closes the consumers' side if no value is left. No value enters any more, so no lock is needed. While values are
   * left, the consumer that takes the last one closes the side.
   */
  #closeConsumers(): void {
    const { context } = this.#ref;
    if (ahead(this.#ref, VALUES) !== 0) return;
    for (const what of [HEAD_LINE, MORE]) {
      const line = lineAt(this.#ref, what, CONSUMERS);
      const tag = context.words.load32(line + BLOCK_TAG);
      if (tag > 0) context.kernel.close(context.agent, line, tag);
    }
    context.finishWalk();
  }

  #shut(): void {
    const { context } = this.#ref;
    context.load(BUFFER).kernel.closeSides(lineAt(this.#ref, LOCK, PRODUCERS), context.agent);
    context.finishWalk();
  }
}

/** Takes the lock of a side for `free`. Waits for it only if the buffer is closed, for at most `SEIZE_MS`. */
function seizeSide(side: Side, isClosed: boolean): boolean {
  if (!side.lines.isClosed && side.lines.inspect().waiters.length > 0) return false;
  return side.lock.tryLockNow() || (isClosed && !side.lock.isOwn && side.lock.tryLock(SEIZE_MS));
}
