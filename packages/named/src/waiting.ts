// The requests of one agent that wait, by the name of their lock. After a steal they wait in a line that another one has replaced, until the event loop
// of their thread turns and they go over to the new line. A request that the agent makes before that must not pass them.

import { BLOCK_TAG, type AgentContext } from '@sluice/core/internal';
import type { Line } from './line.ts';

/** A request in a line. */
export interface Waiting {
  readonly line: Line;
  /** Called when it has left that line. */
  readonly onLeft: (() => void)[];
}

export class WaitingRequests {
  readonly #context: AgentContext;
  /** In the order of the requests. Those in lines that were replaced come first: a request gets another place when it goes over. */
  readonly #byName = new Map<string, Set<Waiting>>();

  constructor(context: AgentContext) {
    this.#context = context;
  }

  add(name: string, line: Line): Waiting {
    const waiting: Waiting = { line, onLeft: [] };
    const all = this.#byName.get(name);
    if (all === undefined) this.#byName.set(name, new Set([waiting]));
    else all.add(waiting);
    return waiting;
  }

  remove(name: string, waiting: Waiting): void {
    const all = this.#byName.get(name);
    all?.delete(waiting);
    if (all?.size === 0) this.#byName.delete(name);
    for (const left of waiting.onLeft) left();
  }

  /** Settles when the first request in a line that was replaced has left that line; then ask again. `undefined`: there is none. */
  firstToMove(name: string): Promise<void> | undefined {
    for (const first of this.#byName.get(name) ?? []) return this.#move(first);
    return undefined;
  }

  #move({ line, onLeft }: Waiting): Promise<void> | undefined {
    if (this.#context.words.load32(line.entry + BLOCK_TAG) === line.tag) return undefined;
    return new Promise<void>((resolve) => {
      onLeft.push(resolve);
    });
  }
}
