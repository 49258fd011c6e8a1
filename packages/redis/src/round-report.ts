// What the server knows of a latch or a barrier.

import type { ReportedSession } from './report.ts';

/**
 * Why a barrier over Redis is broken. `data-lost`: the server has lost calls, so its parties may have been in different
 * generations.
 */
export type RemoteBarrierBreak = 'gave-up' | 'died' | 'reset' | 'action-threw' | 'aborted' | 'data-lost';

/** Codes of an ending: see scripts/rounds.ts. */
export const TRIPPED = 1;
export const LEADS = 2;
export const DATA_LOST = 8;
const BREAKS: readonly (RemoteBarrierBreak | undefined)[] = [
  undefined,
  undefined,
  undefined,
  'gave-up',
  'died',
  'reset',
  'action-threw',
  'aborted',
  'data-lost',
];

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
  /** How many calls of `done` are outstanding. At 0 a wait resolves at once. */
  readonly count: number;
  /** How much of the count each session has claimed. */
  readonly claimedBy: readonly (ReportedSession & { readonly count: number })[];
  readonly waiters: readonly ReportedSession[];
}

export interface RemoteBarrierReport {
  readonly name: string;
  readonly parties: number;
  /** How many of them wait in this generation. */
  readonly arrived: number;
  /** How many generations have ended, tripped or broken. */
  readonly generation: number;
  /** Whether all have arrived and one of them runs the action. */
  readonly acting: boolean;
  /** Why it is broken; `undefined`: it is not. */
  readonly broken: RemoteBarrierBreak | undefined;
  /** How many parties each session has registered or claimed. */
  readonly claimedBy: readonly (ReportedSession & { readonly parties: number })[];
  readonly waiters: readonly ReportedSession[];
}

/** Why a generation ended with this code: for a `BrokenBarrierError`. */
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

/** Reads the answer of `survey`. `size`: the count or the parties if no session has used the primitive yet. */
function readSurvey(reply: readonly string[], size: number): Survey {
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
