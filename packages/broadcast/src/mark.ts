// The mark of a registered subscription, which records how far it has read. Publishers wait for the lowest mark
// (kernel/marks.ts).

import { MisuseError } from '@sluice/core';
import { NEEDS_WALK, OCCUPIED, RACED, SHUT } from '@sluice/core/format';
import { plural } from '@sluice/core/calls';
import { asCorrupt, finishPending, type LineState, type BlockRef } from '@sluice/core/internal';
import { MARK_COUNT, MARKS } from './kernel/layout.ts';
import type { BroadcastKernel } from './kinds.ts';
import { agentsText } from '@sluice/core/report';
import { hasMarksAt, registeredAt } from './report.ts';
import type { SubscribeOptions } from './options.ts';

export class Mark {
  readonly #stream: BlockRef;
  readonly #lineState: LineState;
  readonly #n: number;
  readonly #marks: number;
  readonly #pass: BroadcastKernel['passBroadcastMark'];

  /** `n` is the number of the mark, which this agent has taken. */
  constructor(stream: BlockRef, lineState: LineState, n: number) {
    const { context, address } = stream;
    this.#stream = stream;
    this.#lineState = lineState;
    this.#n = n;
    this.#marks = address + context.words.get32(address + MARKS);
    this.#pass = (context.kernel as BroadcastKernel).passBroadcastMark;
  }

  /**
   * Moves the mark past the value at that position, which the caller has copied. Returns false if the broadcast was
   * freed.
   */
  pass(low: number, high: number): boolean {
    const { context, address } = this.#stream;
    const { tag, entry } = this.#lineState;
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
   * Frees the mark, so that publishers no longer wait for it. Does nothing if the broadcast was freed or its agent has
   * left the arena.
   */
  free(): void {
    const { context, address } = this.#stream;
    if (context.hasLeft) return;
    const { tag, entry } = this.#lineState;
    if (
      (context.kernel as BroadcastKernel).freeBroadcastMark(address, tag, context.agent, entry, this.#n) === NEEDS_WALK
    )
      context.finishWalk();
  }
}

/**
 * Takes a mark for a subscription that begins at READ_WORD of the entry. Returns `undefined` if publishers do not wait
 * for subscriptions, or the broadcast was freed. Throws `MisuseError` if all marks are taken.
 */
export function takeMark(
  stream: BlockRef,
  from: SubscribeOptions['from'],
  lineState: LineState,
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
        lineState.tag,
        context.agent,
        lineState.entry,
        n,
        from === 'oldest' ? 1 : 0,
      );
      if (taken === OCCUPIED) continue;
      if (taken === SHUT) return undefined;
      if (taken === NEEDS_WALK) context.finishWalk();
      return new Mark(stream, lineState, n);
    }
    // The recovery of dead agents' marks may be left to this agent.
  } while (finishPending(context));
  const agents = [...new Set(registeredAt(stream).map(({ agent }) => agent))];
  throw new MisuseError(
    `${title()} has ${plural(count, 'subscription')} (of ${agentsText(context, agents)}), and takes no more (maxSubscriptions). No subscription was made. Close one, or create the broadcast with more.`,
  );
}
