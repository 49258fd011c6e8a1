// The pool of elements. Before it grows, the agent merges tombstones: agents that come and go leave too few each to do so themselves.

import { ELEMENT_STRIDE, HEADER_ELEMENT_POOL, OWNER } from '../kernel/layout.ts';
import type { AgentContext } from './agent-context.ts';
import { compact } from './compaction.ts';
import { Pool, records } from './pool.ts';

/** A pool of fewer elements grows at once. */
const FEWEST_TO_COMPACT = 512;

export class ElementPool extends Pool {
  readonly #context: AgentContext;

  constructor(context: AgentContext) {
    super(HEADER_ELEMENT_POOL, ELEMENT_STRIDE);
    this.#context = context;
  }

  /** Grows only if fewer than half became free: so merging costs each claim no more than growing does. */
  protected override mustGrow(total: number): boolean {
    if (total < FEWEST_TO_COMPACT) return true;
    compact(this.#context);
    const { words } = this.#context;
    let free = 0;
    for (const { record } of records(words, HEADER_ELEMENT_POOL)) if (words.load32(record + OWNER) === 0) free += 1;
    return 2 * free < total;
  }
}
