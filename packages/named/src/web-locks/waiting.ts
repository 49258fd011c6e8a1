// The waiting requests of one agent, by the name of their lock. After a steal, requests wait in a line that was
// replaced. They move to the new line when the event loop of their thread turns. A request that the agent makes before
// that must not overtake them.

import { BLOCK_TAG } from '@sluice/core/format';
import type { AgentContext } from '@sluice/core/internal';
import type { RequestQueue } from './request-queue.ts';

/** A request in a line. */
export interface QueuedRequest {
  readonly line: RequestQueue;
  before: QueuedRequest | undefined;
  behind: QueuedRequest | undefined;
  /** Callbacks for the moment at which the request leaves that line. */
  onLeft: (() => void)[] | undefined;
}

/**
 * The requests of one name, in order. Requests in replaced lines come first: a request gets a new place when it moves.
 */
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

  add(name: string, line: RequestQueue): QueuedRequest {
    const waiting: QueuedRequest = { line, before: undefined, behind: undefined, onLeft: undefined };
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

  /** Removes a request that has its lock or has given up. Call it once for each `add`. */
  remove(name: string, { before, behind, onLeft }: QueuedRequest): void {
    const row = this.#byName.get(name);
    if (row === undefined) return;
    if (before !== undefined) before.behind = behind;
    else if (behind !== undefined) row.first = behind;
    else this.#byName.delete(name);
    if (behind !== undefined) behind.before = before;
    else if (before !== undefined) row.last = before;
    if (onLeft !== undefined) for (const left of onLeft) left();
  }

  /**
   * Returns a promise that settles when the first request in a replaced line has left that line. Call it again then.
   * Returns `undefined` if there is no such request.
   */
  firstToMove(name: string): Promise<void> | undefined {
    const first = this.#byName.get(name)?.first;
    if (first === undefined || this.#context.words.load32(first.line.entry + BLOCK_TAG) === first.line.tag)
      return undefined;
    return new Promise<void>((resolve) => {
      (first.onLeft ??= []).push(resolve);
    });
  }
}
