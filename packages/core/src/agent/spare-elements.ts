// The elements that an agent keeps for its next waits: one in its record, where a kernel step finds it, and a few more.

import { AGENT_SPARE, MODE_ASYNC } from '../kernel/layout.ts';
import type { ElementAddress } from '../kernel/addresses.ts';
import { asElement } from '../kernel/addresses.ts';
import type { PoolClaimant } from '../memory/pool.ts';
import type { Gatherer } from './compaction.ts';
import { ElementPool } from './element-pool.ts';

/** The number of elements that an agent keeps beside the one in its record. It returns further elements to the pool. */
const KEPT_ELEMENTS = 8;

export class SpareElements {
  readonly #agent: Gatherer & PoolClaimant;
  readonly #pool: ElementPool;
  readonly #kept: ElementAddress[] = [];

  constructor(agent: Gatherer & PoolClaimant) {
    this.#agent = agent;
    this.#pool = new ElementPool(agent);
  }

  /** Makes sure that the agent's record has an element for a wait of that mode. Throws `ArenaFullError`. */
  refill(mode: number): void {
    const { words, agent } = this.#agent;
    const spare = asElement(words.get32(agent + AGENT_SPARE));
    if (spare !== 0) {
      if (mode !== MODE_ASYNC || !this.#pool.borrowed.has(spare)) return;
      words.put32(agent + AGENT_SPARE, 0);
      this.#pool.giveBack(spare);
    }
    words.put32(agent + AGENT_SPARE, this.take(mode));
  }

  /** Takes an element for a wait of that mode. Throws `ArenaFullError`. */
  take(mode: number): ElementAddress {
    return this.#kept.pop() ?? this.claim(mode);
  }

  /** Claims an element from the pool. */
  claim(mode: number): ElementAddress {
    return this.#pool.claimFor(mode);
  }

  /** Takes back an element whose wait is over: keeps it for a later wait, or returns it to the pool. */
  keep(element: ElementAddress): void {
    const { words, agent } = this.#agent;
    // Check the size first, because that is cheap: with many threads the engine interprets this function.
    if (this.#pool.borrowed.size > 0 && this.#pool.borrowed.has(element)) this.#pool.giveBack(element);
    else if (words.get32(agent + AGENT_SPARE) === 0) words.put32(agent + AGENT_SPARE, element);
    else if (this.#kept.length < KEPT_ELEMENTS) this.#kept.push(element);
    else this.#pool.giveBack(element);
  }

  /**
   * Forgets all elements, because the agent leaves the arena. They go back to the pool, and a late call must not put one
   * of them into the record, which may belong to another agent by then.
   */
  retire(): void {
    this.#kept.length = 0;
    this.#pool.borrowed.clear();
  }
}
