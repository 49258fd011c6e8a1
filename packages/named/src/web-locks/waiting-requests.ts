// The waiting requests of one agent, by the name of their lock, in the order in which they were made. After a steal,
// requests wait in a line that was replaced. They move to the new line when the event loop of their thread turns. Until
// then no later request of the agent may draw a ticket in the new line.
//
// INVARIANT: if a request waits in the line to which its name leads, all earlier requests of the agent wait there, too.
// A request draws its ticket under the mutex of the table, and only if the request before it waits in that line
// (`isNext`). A steal replaces the line under the same mutex, so all of them then wait in a replaced line.

import { BLOCK_TAG } from '@sluice/core/format';
import type { AgentContext } from '@sluice/core/internal';
import type { RequestQueue } from './request-queue.ts';

/** A waiting request. */
export interface QueuedRequest {
  /** The line in which it waits; `undefined` until it has drawn its first ticket. */
  line: RequestQueue | undefined;
  before: QueuedRequest | undefined;
  behind: QueuedRequest | undefined;
  /** Told when the request draws a ticket or leaves. The request behind it then tries again to draw. */
  onMoved: (() => void) | undefined;
}

/** The requests of one name, in order. */
interface Row {
  first: QueuedRequest;
  last: QueuedRequest;
}

export class WaitingRequests {
  readonly #context: AgentContext;
  readonly #byName = new Map<string, Row>();

  constructor(context: AgentContext) {
    this.#context = context;
  }

  /** Adds a request that has no ticket yet, behind all others. */
  add(name: string): QueuedRequest {
    const waiting: QueuedRequest = { line: undefined, before: undefined, behind: undefined, onMoved: undefined };
    const row = this.#byName.get(name);
    if (row === undefined) {
      this.#byName.set(name, { first: waiting, last: waiting });
      return waiting;
    }
    waiting.before = row.last;
    row.last.behind = waiting;
    row.last = waiting;
    return waiting;
  }

  /**
   * Whether a request may draw a ticket in the line to which its name leads: no earlier request has to draw one before.
   * `place` is that of the request; `undefined` for a new request. Call it under the mutex of the table.
   */
  isNext(name: string, place: QueuedRequest | undefined): boolean {
    const before = place === undefined ? this.#byName.get(name)?.last : place.before;
    return before === undefined || this.#isCurrent(before.line);
  }

  /** Resolves when the request before `place` has drawn a ticket or has left. Call `isNext` again then. */
  beforeMoves({ before }: QueuedRequest): Promise<void> {
    return new Promise((resolve) => {
      if (before === undefined) resolve();
      else before.onMoved = resolve;
    });
  }

  /** Records that a request has drawn a ticket in a line. */
  enter(place: QueuedRequest, line: RequestQueue): void {
    place.line = line;
    tell(place);
  }

  /** Removes a request that has its lock or has given up. Call it once for each `add`. */
  remove(name: string, place: QueuedRequest): void {
    const { before, behind } = place;
    const row = this.#byName.get(name);
    if (row === undefined) return;
    if (before !== undefined) before.behind = behind;
    else if (behind !== undefined) row.first = behind;
    else this.#byName.delete(name);
    if (behind !== undefined) behind.before = before;
    else if (before !== undefined) row.last = before;
    tell(place);
  }

  #isCurrent(line: RequestQueue | undefined): boolean {
    return line !== undefined && this.#context.words.load32(line.entry + BLOCK_TAG) === line.tag;
  }
}

function tell(place: QueuedRequest): void {
  place.onMoved?.();
  place.onMoved = undefined;
}
