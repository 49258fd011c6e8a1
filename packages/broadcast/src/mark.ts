// The mark of a registered subscription: how far it has read. Publishers wait for the lowest one (kernel/marks.ts).

import { MisuseError } from '@sluice/core';
import {
  asCorrupt,
  finishPending,
  NEEDS_WALK,
  OCCUPIED,
  plural,
  RACED,
  SHUT,
  type LocalState,
  type Place,
} from '@sluice/core/internal';
import { MARK_COUNT, MARKS } from './kernel/layout.ts';
import type { BroadcastKernel } from './kinds.ts';
import { hasMarksAt, registeredAt } from './report.ts';
import type { SubscribeOptions } from './options.ts';

export class Mark {
  readonly #stream: Place;
  readonly #localState: LocalState;
  readonly #n: number;
  readonly #marks: number;
  readonly #pass: BroadcastKernel['passBroadcastMark'];

  /** The mark with that number, which this agent has taken. */
  constructor(stream: Place, localState: LocalState, n: number) {
    const { context, address } = stream;
    this.#stream = stream;
    this.#localState = localState;
    this.#n = n;
    this.#marks = address + context.words.get32(address + MARKS);
    this.#pass = (context.kernel as BroadcastKernel).passBroadcastMark;
  }

  /**
   * Moves the mark past the value at that position, which the caller has copied. False: the broadcast was freed
   * meanwhile.
   */
  pass(low: number, high: number): boolean {
    const { context, address } = this.#stream;
    const { tag, entry } = this.#localState;
    let passed: ReturnType<BroadcastKernel['passBroadcastMark']>;
    try {
      passed = this.#pass(address, tag, context.agent, entry, this.#marks, this.#n, low, high);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (passed === NEEDS_WALK) context.finishWalk();
    return passed !== RACED;
  }

  /**
   * Frees the mark: publishers no longer wait for it. Does nothing if the broadcast was freed, or its agent has left.
   */
  free(): void {
    const { context, address } = this.#stream;
    if (context.hasLeft) return;
    const { tag, entry } = this.#localState;
    if (
      (context.kernel as BroadcastKernel).freeBroadcastMark(address, tag, context.agent, entry, this.#n) === NEEDS_WALK
    )
      context.finishWalk();
  }
}

/**
 * Takes a mark for a subscription, which begins at READ_WORD of the entry. `undefined`: publishers do not wait, or the
 * broadcast was freed. Throws `MisuseError` if all are taken.
 */
export function takeMark(
  stream: Place,
  from: SubscribeOptions['from'],
  localState: LocalState,
  title: () => string,
): Mark | undefined {
  if (!hasMarksAt(stream)) return undefined;
  const { context, address } = stream;
  const { takeBroadcastMark } = context.kernel as BroadcastKernel;
  const count = context.words.get32(address + MARK_COUNT);
  do {
    for (let n = 0; n < count; n++) {
      const taken = takeBroadcastMark(
        address,
        localState.tag,
        context.agent,
        localState.entry,
        n,
        from === 'oldest' ? 1 : 0,
      );
      if (taken === OCCUPIED) continue;
      if (taken === SHUT) return undefined;
      if (taken === NEEDS_WALK) context.finishWalk();
      return new Mark(stream, localState, n);
    }
    // Marks of dead agents may be left to this one.
  } while (finishPending(context));
  const agents = [...new Set(registeredAt(stream).map(({ agent }) => agent))].join(', ');
  throw new MisuseError(
    `${title()} has ${plural(count, 'subscription')} (of agents ${agents}), and takes no more (maxSubscriptions). No subscription was made. Close one, or create the broadcast with more.`,
  );
}
