// Reads the word of a barrier for reports and messages.

import type { Waiter } from '@sluice/core';
import { GRANT } from '@sluice/core/format';
import { recordedAt, readName, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, AgentTitles, type LineReport } from '@sluice/core/report';
import { ACTING, ARRIVED, BROKEN, PARTIES, PARTIES_AT } from './kernel/layout.ts';
import { ABORTED, DIED, GAVE_UP, RESET, THREW } from './kernel/outcomes.ts';

/** The reason why a barrier is broken. */
export type BarrierBreak = 'gave-up' | 'died' | 'reset' | 'action-threw' | 'aborted';

export interface BarrierReport {
  readonly kind: 'barrier';
  readonly name: string;
  readonly parties: number;
  /** The number of parties that wait in this generation. */
  readonly arrived: number;
  /** The number of generations that have ended, tripped or broken. It wraps at 2^32. */
  readonly generation: number;
  /** Whether all parties have arrived and the last of them runs the action. */
  readonly acting: boolean;
  /** The reason why the barrier is broken, or `undefined` if it is not. */
  readonly broken: BarrierBreak | undefined;
  /** The ids of the agents that called `register` or `claim` for parties that have not left. */
  readonly claimedBy: readonly number[];
  /** How messages name them, such as "agent 3 (thread 5, resizer)", in the same order. */
  readonly claimedByTitles: readonly string[];
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

/** The fields of the word. */
export type BarrierState = Pick<BarrierReport, 'parties' | 'arrived' | 'generation' | 'acting' | 'broken'>;

const BREAKS: Readonly<Record<number, BarrierBreak>> = {
  [GAVE_UP]: 'gave-up',
  [DIED]: 'died',
  [RESET]: 'reset',
  [THREW]: 'action-threw',
  [ABORTED]: 'aborted',
};

const REASONS: Readonly<Record<BarrierBreak, string>> = {
  'gave-up': 'a wait timed out or was aborted',
  died: 'an agent died',
  reset: 'it was reset while parties waited',
  'action-threw': 'its action threw an error',
  aborted: 'abort() was called',
};

export function stateAt({ context: { words }, address }: BlockRef): BarrierState {
  const word = words.load64(address + GRANT);
  const low = Number(BigInt.asIntN(32, word));
  const isBroken = (low & BROKEN) !== 0;
  return {
    parties: (low & PARTIES) >>> PARTIES_AT,
    arrived: isBroken ? 0 : low & ARRIVED,
    generation: Number(BigInt.asUintN(32, word >> 32n)),
    acting: (low & ACTING) !== 0,
    broken: isBroken ? BREAKS[low & ARRIVED] : undefined,
  };
}

/** Returns text for messages, such as '2 of 3 parties have arrived'. */
export function stateText(ref: BlockRef): string {
  const { parties, arrived, acting, broken } = stateAt(ref);
  if (broken !== undefined) return `broken, ${parties} parties`;
  return acting
    ? `all ${parties} parties have arrived, the action runs`
    : `${arrived} of ${parties} parties have arrived`;
}

/** Returns text for the message of a `BrokenBarrierError`. */
export function breakText(ref: BlockRef): string {
  const { broken } = stateAt(ref);
  return broken === undefined
    ? 'was broken while this call waited, and has been reset since. Nothing of this call remains; call it again.'
    : `is broken: ${REASONS[broken]}. Call mend() when its parties are ready to begin again.`;
}

export function reportBarrier(ref: BlockRef, { waiters }: LineReport): BarrierReport {
  const claimedBy = recordedAt(ref.context, ref);
  const titles = new AgentTitles(ref.context.words);
  return {
    kind: 'barrier',
    name: readName(ref.context.words, ref.address),
    ...stateAt(ref),
    claimedBy,
    claimedByTitles: claimedBy.map((agent) => titles.of(agent)),
    waiters: waiters.map(withoutPermits),
  };
}
