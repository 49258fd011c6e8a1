// The requests of one agent that wait, by the name of their lock. After a steal they wait in a line that another one
// has replaced, until the event loop of their thread turns and they go over to the new line. A request that the agent
// makes before that must not pass them.

import { BLOCK_TAG, type AgentContext } from '@sluice/core/internal';
import type { Line } from './line.ts';

/** A request in a line. */
export interface Waiting {
  readonly line: Line;
  before: Waiting | undefined;
  behind: Waiting | undefined;
  /** Callbacks for the moment at which it leaves that line. */
  onLeft: (() => void)[] | undefined;
}

/**
 * In the order of the requests. Those in lines that were replaced come first: a request gets another place when it goes
 * over.
 */
interface Row {
  first: Waiting;
  last: Waiting;
}

export class WaitingRequests {
  readonly #context: AgentContext;
  readonly #byName = new Map<string, Row>();

  constructor(context: AgentContext) {
    this.#context = context;
  }

  add(name: string, line: Line): Waiting {
    const waiting: Waiting = { line, before: undefined, behind: undefined, onLeft: undefined };
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

  /** Takes a request out, which has its lock or has given up. Call it once for each `add`. */
  remove(name: string, { before, behind, onLeft }: Waiting): void {
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
   * Settles when the first request in a line that was replaced has left that line; then ask again. `undefined`: there
   * is none.
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
