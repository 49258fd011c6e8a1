// Scans of the marks of a broadcast, by an agent that looks for room. The words are in kernel/marks.ts.

import { AGENT_SCRATCH, TAKEN, WAITING, type LineAddress, type SHUT } from '@sluice/core/format';
import type { AgentContext, LineState } from '@sluice/core/internal';
import { MARK_COUNT, SEEN_LIMIT, SEEN_SUBSCRIBED } from './kernel/layout.ts';
import { LIMIT_REACHED } from './kernel/outcomes.ts';
import type { BroadcastKernel } from './kinds.ts';

export class MarksScan {
  /** SUBSCRIBED before the last scan. At first a number that SUBSCRIBED never has. */
  subscribedLow = -1;
  subscribedHigh = -1;
  /** The limit that the last scan found. */
  limitLow = 0;
  limitHigh = 0;
  readonly #context: AgentContext;
  readonly #kernel: BroadcastKernel;
  readonly #stream: LineAddress;
  readonly #marks: number;
  readonly #lineState: LineState;
  readonly #seek: BroadcastKernel['seekBroadcastRoom'];

  constructor(context: AgentContext, stream: LineAddress, marks: number, lineState: LineState) {
    this.#context = context;
    this.#kernel = context.kernel as BroadcastKernel;
    this.#stream = stream;
    this.#marks = marks;
    this.#lineState = lineState;
    this.#seek = this.#kernel.seekBroadcastRoom;
  }

  /**
   * Compares the position with the last limit. Returns TAKEN if there is room, WAITING if other publishers come first,
   * and LIMIT_REACHED if the marks have to be scanned. `isHead` is 1 if this agent is the head of the line.
   */
  seek(isHead: 0 | 1): ReturnType<BroadcastKernel['seekBroadcastRoom']> {
    return this.#seek(
      this.#stream,
      this.#lineState.tag,
      this.#marks,
      isHead,
      this.subscribedLow,
      this.subscribedHigh,
      this.limitLow,
      this.limitHigh,
    );
  }

  /** Scans the marks. Returns TAKEN if there is room, or the number of the mark that leaves no room. */
  look(): number {
    const { words, agent } = this.#context;
    const kernel = this.#kernel;
    const count = words.get32(this.#stream + MARK_COUNT);
    kernel.beginBroadcastScan(this.#stream, agent, this.#marks);
    for (let n = 0; n < count; n++) kernel.scanBroadcastMark(agent, this.#marks, n);
    const seen = kernel.endBroadcastScan(this.#stream, agent);
    const found = agent + AGENT_SCRATCH;
    this.subscribedLow = words.get32(found + SEEN_SUBSCRIBED);
    this.subscribedHigh = words.get32(found + SEEN_SUBSCRIBED + 4);
    this.limitLow = words.get32(found + SEEN_LIMIT);
    this.limitHigh = words.get32(found + SEEN_LIMIT + 4);
    return seen;
  }

  /** Looks for room. Returns TAKEN if there is room and no other publisher comes first, WAITING otherwise. */
  findRoom(): typeof TAKEN | typeof WAITING | typeof SHUT {
    const seen = this.seek(0);
    if (seen !== LIMIT_REACHED) return seen;
    return this.look() === TAKEN ? TAKEN : WAITING;
  }
}
