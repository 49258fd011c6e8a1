// One reading of all waits and holdings of an arena. It tells which agents were blocked while it was made.
//
// Words change while they are read. So the waits are read twice, with the holdings between. An agent that is in the
// same blocking wait at both reads was blocked in between. What it held at either read it held throughout.

import {
  allCompeting,
  allHoldings,
  allUnseenGrants,
  allWaiting,
  isGranted,
  type HoldingRecord,
  type Reader,
  type WaitingRecord,
} from './holders-and-waiters.ts';

/** What an agent has of a line: permits, or the place of the next waiter. */
export type HeldRecord = Pick<HoldingRecord, 'agent' | 'address' | 'permits'>;

export interface ReadWaits {
  readonly held: readonly HeldRecord[];
  /**
   * The async waits that are next. Each counts as a holder, too, if no agent holds what it waits for: while its agent
   * blocks elsewhere, the lock is free, but the other waiters stay behind that wait.
   */
  readonly next: readonly WaitingRecord[];
  /** The async waits that were granted, while the event loops of their threads have not turned to see it. */
  readonly unseen: readonly WaitingRecord[];
  /** The waits at the second read. */
  readonly waits: readonly WaitingRecord[];
  /** Whether the agent of a wait was blocked in it between the two reads. */
  readonly wasBlocked: (wait: WaitingRecord) => boolean;
}

export function readWaits(reader: Reader): ReadWaits {
  const before = new Map<number, WaitingRecord>();
  for (const wait of allWaiting(reader)) if (wait.kind === 'blocking') before.set(wait.agent, wait);
  const next = [...allCompeting(reader)].filter(({ kind }) => kind === 'async');
  const held = [...allHoldings(reader)];
  const waits = [...allWaiting(reader)];
  const wasBlocked = (wait: WaitingRecord): boolean => wait.kind === 'blocking' && isSame(before.get(wait.agent), wait);
  return { held, next, unseen: [...allUnseenGrants(reader)], waits, wasBlocked };
}

/**
 * Whether the wait was not over at either read. A ticket that was rolled back is drawn again, so a ticket alone does not
 * distinguish two waits. A waiter that was granted its wait may own the lock already.
 */
function isSame(wait: WaitingRecord | undefined, later: WaitingRecord): boolean {
  return (
    wait !== undefined &&
    !isGranted(later.gate) &&
    later.ticket === wait.ticket &&
    later.address === wait.address &&
    later.tag === wait.tag &&
    later.since === wait.since
  );
}
