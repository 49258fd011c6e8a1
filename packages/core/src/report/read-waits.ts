// One reading of all waits and holdings of an arena. It tells which agents were blocked while it was made.
//
// Words change while they are read. So the blocking waits are read before and after everything else. An agent that is
// in the same blocking wait in all three reads was blocked in between. What it held in between it held throughout.

import type { ConditionRecord } from './claims.ts';
import { scanElements, type ElementCounts, type ElementScan } from './element-scan.ts';
import { allTaken, isGranted, type HoldingRecord, type Reader, type WaitingRecord } from './holders-and-waiters.ts';

/** What an agent has of a line: permits, or the place of the next waiter. */
export type HeldRecord = Pick<HoldingRecord, 'agent' | 'address' | 'permits'>;

/** What is held and waited for. */
export interface ReadUses {
  readonly held: readonly HoldingRecord[];
  readonly waits: readonly WaitingRecord[];
  /** The waits on conditions. */
  readonly sleepers: readonly ConditionRecord[];
  readonly counts: Readonly<ElementCounts>;
}

export interface ReadWaits extends ReadUses {
  /**
   * The async waits that are next. Each counts as a holder, too, if no agent holds what it waits for: while its agent
   * blocks elsewhere, the lock is free, but the other waiters stay behind that wait.
   */
  readonly next: readonly WaitingRecord[];
  /** The async waits that were granted, while the event loops of their threads have not turned to see it. */
  readonly unseen: readonly WaitingRecord[];
  /** Whether the agent of a wait was blocked in it while the holdings, the grants and the next waits were read. */
  readonly wasBlocked: (wait: WaitingRecord) => boolean;
}

export function readWaits(reader: Reader): ReadWaits {
  const before = blockingWaits(reader);
  const { scan, ...uses } = usesIn(reader);
  const after = blockingWaits(reader);
  return {
    ...uses,
    next: scan.competing.filter(isAsync),
    unseen: scan.granted.filter(isAsync),
    wasBlocked(wait) {
      const later = after.get(wait.agent);
      return later !== undefined && isSame(before.get(wait.agent), wait) && isSame(wait, later);
    },
  };
}

/** Returns the blocking wait of each agent that is in one. */
function blockingWaits(reader: Reader): ReadonlyMap<number, WaitingRecord> {
  const waits = new Map<number, WaitingRecord>();
  for (const wait of scanElements(reader, true).waiting) if (wait.kind === 'blocking') waits.set(wait.agent, wait);
  return waits;
}

/** Returns what is held and waited for, without what tells whether an agent was blocked. */
export function readUses(reader: Reader): ReadUses {
  return usesIn(reader);
}

/** Reads the elements last: an agent that sees its grant meanwhile holds nothing here, and never twice. */
function usesIn(reader: Reader): ReadUses & { readonly scan: ElementScan } {
  const held = [...allTaken(reader.words)];
  const scan = scanElements(reader, false);
  const { waiting: waits, sleepers, counts } = scan;
  for (const { agent, address, tag, permits } of scan.granted) held.push({ agent, address, tag, permits, since: 0 });
  return { held, waits, sleepers, counts, scan };
}

function isAsync({ kind }: WaitingRecord): boolean {
  return kind === 'async';
}

/**
 * Whether the wait was not over at the later read. A ticket that was rolled back is drawn again, so a ticket alone does not
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
