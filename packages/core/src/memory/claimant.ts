// The part of an agent that a claim of a block or a record needs: its context, or the data of an agent that is about to
// join.

import type { Kernel } from '../kernel/kernel.ts';
import type { Words } from '../kernel/words.ts';

export interface Claimant {
  readonly words: Words;
  readonly kernel: Kernel;
  /** The agent's id, or the value of BLOCK_OWNER while it joins. */
  readonly id: number;
}
