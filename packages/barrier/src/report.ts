// The fields of `inspect` for a countdown latch.

import type { Waiter } from '@sluice/core';
import { GRANT } from '@sluice/core/format';
import { recordedAt, readName, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, AgentTitles, type LineReport } from '@sluice/core/report';

export interface CountdownLatchReport {
  readonly kind: 'countdown-latch';
  readonly name: string;
  /** The outstanding count. At 0 a wait returns at once. */
  readonly count: number;
  /** The ids of the agents that have claims left: calls of `claim` without `done`. */
  readonly claimedBy: readonly number[];
  /** How messages name them, such as "agent 3 (thread 5, resizer)", in the same order. */
  readonly claimedByTitles: readonly string[];
  /** The waiters. All of them are admitted at once. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

/** The outstanding count: the low half of the word, negated. */
export function countAt({ context: { words }, address }: BlockRef): number {
  return 0 - words.load32(address + GRANT);
}

export function reportLatch(ref: BlockRef, { waiters }: LineReport): CountdownLatchReport {
  const claimedBy = recordedAt(ref.context, ref);
  const titles = new AgentTitles(ref.context.words);
  return {
    kind: 'countdown-latch',
    name: readName(ref.context.words, ref.address),
    count: countAt(ref),
    claimedBy,
    claimedByTitles: claimedBy.map((agent) => titles.of(agent)),
    waiters: waiters.map(withoutPermits),
  };
}
