// One pass over all elements of an arena: the waiters by what their elements say of them. A report of thousands of
// waiters makes few passes, and no object for an element that says nothing.

import { HEADER_ELEMENT_POOL, MODE, MODE_ASYNC, OWNER, POOL_RECORDS, SUCCEEDS } from '../kernel/layout.ts';
import type { ElementAddress } from '../kernel/addresses.ts';
import { ABANDONED, LINKED, PARKED } from '../kernel/states.ts';
import { poolBlocks } from '../memory/corrupt.ts';
import { isAsleep, sleeperAt, type ConditionRecord } from './claims.ts';
import {
  competes,
  gateOf,
  hasSuccessors,
  isGranted,
  isWaiting,
  waiterAt,
  type Reader,
  type WaitingRecord,
} from './holders-and-waiters.ts';

/** Numbers of elements. */
export interface ElementCounts {
  total: number;
  /** Without an owner. */
  free: number;
  waiting: number;
  /** Whose waiters cancelled. */
  abandoned: number;
}

export interface ElementScan {
  /** The waiters without a verdict, and those whose verdict only allows them to compete. */
  readonly waiting: WaitingRecord[];
  /** The waiters that have a permit to compete for a lock. */
  readonly competing: WaitingRecord[];
  /** The waiters that were admitted and have not seen it. */
  readonly granted: WaitingRecord[];
  /** The waiters that sleep on a condition. */
  readonly sleepers: ConditionRecord[];
  readonly counts: ElementCounts;
}

/** Reads all elements once. `onlyBlocking`: only the blocking waiters in line, and no counts of others. */
export function scanElements(reader: Reader, onlyBlocking: boolean): ElementScan {
  const { words } = reader;
  const scan: ElementScan = {
    waiting: [],
    competing: [],
    granted: [],
    sleepers: [],
    counts: { total: 0, free: 0, waiting: 0, abandoned: 0 },
  };
  for (const { block, count, stride } of poolBlocks(words, words.load32(HEADER_ELEMENT_POOL))) {
    scan.counts.total += count;
    for (let index = 0; index < count; index++) {
      const element = (block + POOL_RECORDS + index * stride) as ElementAddress;
      const owner = words.load32(element + OWNER);
      if (owner === 0) scan.counts.free += 1;
      else scanOne(reader, element, owner, onlyBlocking, scan);
    }
  }
  return scan;
}

function scanOne(
  reader: Reader,
  element: ElementAddress,
  owner: number,
  onlyBlocking: boolean,
  scan: ElementScan,
): void {
  const { words } = reader;
  if (onlyBlocking && words.get32(element + MODE) === MODE_ASYNC) return;
  const gate = gateOf(words, element);
  if (gate === ABANDONED) scan.counts.abandoned += 1;
  else if (isAsleep(gate)) {
    const sleeper = onlyBlocking ? undefined : sleeperAt(words, element, owner);
    if (sleeper !== undefined) scan.sleepers.push(sleeper);
  } else if (isWaiting(gate)) {
    scan.counts.waiting += 1;
    const succeeds = (gate === LINKED || gate === PARKED) && words.get32(element + SUCCEEDS) === 1;
    const wait = waiterAt(words, element, owner, gate);
    if (wait === undefined) return;
    scan.waiting.push(wait);
    if (succeeds && hasSuccessors(words, wait.address)) scan.competing.push(wait);
  } else if (isGranted(gate)) {
    const wait = waiterAt(words, element, owner, gate);
    if (wait === undefined) return;
    if (competes(reader, gate, wait.address)) {
      scan.waiting.push(wait);
      scan.competing.push(wait);
    } else scan.granted.push(wait);
  }
}
