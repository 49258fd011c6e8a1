// The end of a buffer: closing it, and taking both locks for good before its memory is freed.
//
// The producers' side closes at once, the consumers' side when the last value is out. The agent that closes, or takes that value, closes
// the side. An agent that died in the middle of its close (jsEngine only) leaves the consumers' side open: closing again closes it.

import { BLOCK_TAG, finishPending, type Place } from '@sluice/core/internal';
import { BUFFER } from './kinds.ts';
import { ahead, CONSUMERS, lineAt, LOCK, MORE, PRODUCERS, TURNS, VALUES } from './lines.ts';
import type { Side } from './side.ts';

export class Closing {
  readonly #place: Place;
  readonly #producers: Side;
  readonly #consumers: Side;

  constructor(place: Place, producers: Side, consumers: Side) {
    this.#place = place;
    this.#producers = producers;
    this.#consumers = consumers;
  }

  /** Closes the buffer, once no agent is putting a value in. Throws `MisuseError` if this agent is. */
  close(): void {
    this.#producers.lock.refuseToNest();
    if (this.#producers.lines.isClosed) this.#closeConsumers();
    else if (this.#producers.lock.lock()) this.#shut();
  }

  async closeAsync(): Promise<void> {
    this.#producers.lock.refuseToNest();
    if (this.#producers.lines.isClosed) this.#closeConsumers();
    else await this.#producers.lock.lockAsync({}, () => this.#shut());
  }

  /** Takes both locks for good, if no agent owns one and none waits. Returns whether it did. */
  seize(): boolean {
    // A dead agent that only an agent with the kind can recover does not count as one that waits.
    finishPending(this.#place.context);
    if (!seizeSide(this.#producers)) return false;
    if (seizeSide(this.#consumers)) return true;
    this.#producers.commit(0, 0);
    return false;
  }

  /** No value enters any more, so no lock is needed. While values are left, the consumer that takes the last one closes the side. */
  #closeConsumers(): void {
    const { context } = this.#place;
    if (ahead(this.#place, VALUES) !== 0) return;
    for (const what of [TURNS, MORE]) {
      const line = lineAt(this.#place, what, CONSUMERS);
      const tag = context.words.load32(line + BLOCK_TAG);
      if (tag > 0) context.kernel.close(context.agent, line, tag);
    }
    context.finishWalk();
  }

  #shut(): void {
    const { context } = this.#place;
    context.load(BUFFER).kernel.closeSides(lineAt(this.#place, LOCK, PRODUCERS), context.agent);
    context.finishWalk();
  }
}

function seizeSide(side: Side): boolean {
  return (side.lines.isClosed || side.lines.inspect().waiters.length === 0) && side.lock.tryLockNow();
}
