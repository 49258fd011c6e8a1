// What an agent does from a given log on, up to its next scheduling point. The search comes to the same log again and
// again, with other agents elsewhere; performing what is known costs a fraction of running the body from its start.

import type { AgentState } from './agent-state.ts';
import type { Deed } from './deed.ts';

export interface Stride {
  readonly a: number;
  readonly b: number;
  readonly mayDie: boolean;
  readonly deeds: readonly Deed[];
  readonly state: AgentState;
}

/** Enough for nearly all scenarios; a search stays long in one region, so starting again costs little. */
const MOST_STRIDES = 1 << 16;

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
    if (this.#strides.size >= MOST_STRIDES) this.#strides.clear();
    this.#strides.set(keyOf(stride.a, stride.b, stride.mayDie), stride);
  }
}

/** A small integer: of two strides with one key the later is kept. */
function keyOf(a: number, b: number, mayDie: boolean): number {
  return ((a ^ Math.imul(b, 0x9e3779b1)) & 0x1fff_ffff) * 2 + (mayDie ? 1 : 0);
}
