// A cache of strides. A stride is what an agent does after a given log, up to its next scheduling point. The search
// meets the same log many times, with other agents in other states. Performing a known stride costs a fraction of
// running the body from its start.
//
// A run of the body does not end at its first scheduling point. It goes on as if no other agent ran, and keeps each
// stride on its way: the search lets an agent continue before it tries the others, so it needs most of them next. A
// stride is a function of its log, so an answer that turns out different makes a stride useless, never wrong.

import type { AgentState } from './agent-state.ts';
import type { Deed } from './deed.ts';

export interface Stride {
  readonly a: number;
  readonly b: number;
  readonly mayDie: boolean;
  readonly deeds: readonly Deed[];
  readonly state: AgentState;
  /** Whether the agent has not performed it yet, so that the words that it touches are not recorded. */
  isAhead: boolean;
}

/**
 * The capacity of the cache, enough for nearly all scenarios. A search stays in one region for a long time, so emptying
 * a full cache costs little.
 */
const MAX_STRIDES = 1 << 16;

export class Recall {
  readonly #strides = new Map<number, Stride>();

  clear(): void {
    this.#strides.clear();
  }

  find(a: number, b: number, mayDie: boolean): Stride | undefined {
    const stride = this.#strides.get(keyOf(a, b, mayDie));
    return stride !== undefined && stride.a === a && stride.b === b && stride.mayDie === mayDie ? stride : undefined;
  }

  keep(stride: Stride): void {
    if (this.#strides.size >= MAX_STRIDES) this.#strides.clear();
    this.#strides.set(keyOf(stride.a, stride.b, stride.mayDie), stride);
  }
}

/** Returns a small integer as the key. Of two strides with the same key, the cache keeps the later one. */
function keyOf(a: number, b: number, mayDie: boolean): number {
  return ((a ^ Math.imul(b, 0x9e3779b1)) & 0x1fff_ffff) * 2 + (mayDie ? 1 : 0);
}
