// The report of a latch or a barrier, from the server's answers.

import { ENDING } from '../engine/protocol.ts';
import type { ReportedSession } from './report.ts';

/**
 * The reason why a barrier over Redis is broken. `data-lost`: the server has lost calls, so the parties may have been
 * in different generations.
 */
export type RemoteBarrierBreak = 'gave-up' | 'died' | 'reset' | 'action-threw' | 'aborted' | 'data-lost';

const BREAKS: Readonly<Partial<Record<number, RemoteBarrierBreak>>> = {
  [ENDING.gaveUp]: 'gave-up',
  [ENDING.died]: 'died',
  [ENDING.reset]: 'reset',
  [ENDING.threw]: 'action-threw',
  [ENDING.aborted]: 'aborted',
  [ENDING.lost]: 'data-lost',
};

const REASONS: Readonly<Record<RemoteBarrierBreak, string>> = {
  'gave-up': 'a wait timed out or was aborted',
  died: 'a session ended',
  reset: 'it was reset while parties waited',
  'action-threw': 'its action threw an error',
  aborted: 'abort() was called',
  'data-lost': 'the server has lost calls, perhaps in a failover',
};

export interface RemoteCountdownLatchReport {
  readonly name: string;
  /** The number of outstanding calls of `done`. At 0 a wait resolves at once. */
  readonly count: number;
  /** The part of the count that each session has claimed. */
  readonly claimedBy: readonly (ReportedSession & { readonly count: number })[];
  readonly waiters: readonly ReportedSession[];
}

export interface RemoteBarrierReport {
  readonly name: string;
  readonly parties: number;
  /** The number of parties that wait in this generation. */
  readonly arrived: number;
  /** The number of generations that have ended, tripped or broken. */
  readonly generation: number;
  /** Whether all parties have arrived and one of them runs the action. */
  readonly acting: boolean;
  /** The reason why the barrier is broken, or `undefined` if it is not. */
  readonly broken: RemoteBarrierBreak | undefined;
  /** The number of parties that each session has registered or claimed. */
  readonly claimedBy: readonly (ReportedSession & { readonly parties: number })[];
  readonly waiters: readonly ReportedSession[];
}

/** Returns the reason for a `BrokenBarrierError`, from the code with which a generation ended. */
export function breakText(code: number): string {
  const broken = BREAKS[code] ?? 'data-lost';
  const then = broken === 'reset' ? 'Call again.' : 'Call mend() when its parties are ready to begin again.';
  return `is broken: ${REASONS[broken]}. ${then}`;
}

interface Survey {
  readonly whole: number;
  readonly round: number;
  readonly broken: string;
  readonly acting: number;
  readonly waiters: readonly ReportedSession[];
  readonly owners: readonly (ReportedSession & { readonly n: number })[];
}

/**
 * Reads the answer of `survey`. `size` is the count, or the number of parties, if no session has used the primitive
 * yet.
 */
export function readSurvey(reply: readonly string[], size: number): Survey {
  const [, , whole = '', round = '0', broken = '', acting = '0', waiting = '0'] = reply;
  const all: (ReportedSession & { readonly n: number })[] = [];
  for (let at = 7; at + 2 < reply.length; at += 3)
    all.push({ session: reply[at] ?? '', label: reply[at + 1] ?? '', n: Number(reply[at + 2]) });
  return {
    whole: whole === '' ? size : Number(whole),
    round: Number(round),
    broken,
    acting: Number(acting),
    waiters: all.slice(0, Number(waiting)).map(({ session, label }) => ({ session, label })),
    owners: all.slice(Number(waiting)),
  };
}

export function readLatch(name: string, size: number, reply: readonly string[]): RemoteCountdownLatchReport {
  const { whole, waiters, owners } = readSurvey(reply, size);
  return {
    name,
    count: whole,
    claimedBy: owners.map(({ session, label, n }) => ({ session, label, count: n })),
    waiters,
  };
}

export function readBarrier(name: string, size: number, reply: readonly string[]): RemoteBarrierReport {
  const { whole, round, broken, acting, waiters, owners } = readSurvey(reply, size);
  return {
    name,
    parties: whole,
    arrived: acting > 0 ? acting : waiters.length,
    generation: round,
    acting: acting > 0,
    broken: broken === '' ? undefined : BREAKS[Number(broken)],
    claimedBy: owners.map(({ session, label, n }) => ({ session, label, parties: n })),
    waiters,
  };
}
