// Predicts the report of a dead agent's recovery from the memory that the agent left.

import { blocks } from '../../src/memory/blocks.ts';
import { readName } from '../../src/memory/name.ts';
import { records } from '../../src/memory/records.ts';
import type { ReclaimReport, RestoredPermits } from '../../src/recovery/reclaim-report.ts';
import { ownedLines, ownerOfLine, ownerOfLock } from '../../src/report/holders-and-waiters.ts';
import * as L from '../../src/kernel/layout.ts';
import { GRANTED, LINKED, PARKED, QUEUED } from '../../src/kernel/states.ts';
import type { Words } from '../../src/kernel/words.ts';
import { blockOf } from '../../src/memory/blocks.ts';
import { kindAt } from '../../src/recovery/pending.ts';
import { asBlock } from '../../src/kernel/addresses.ts';

export interface PredictedReport
  extends Pick<ReclaimReport, 'ticketsWithdrawn' | 'locksOrphaned' | 'buffersInterrupted' | 'blocksFreed'> {
  readonly permits: readonly RestoredPermits[];
}

const takesNothing = new Set<number>();
const unreported = new Set<number>();
const interrupts = new Set<number>();
const likeSemaphores = new Set<number>();
const losers = new Map<number, (words: Words, element: number) => boolean>();

/** Use it for a kind whose waiters take nothing when they are admitted. The grant of a dead waiter is not reported. */
export function waitersTakeNothing(code: number): void {
  takesNothing.add(code);
}

/** Use it for a kind whose ledger entries have a meaning that no report shows. */
export function entriesAreNotReported(code: number): void {
  unreported.add(code);
}

/** Use it for a kind of lines whose dead owners are reported in `buffersInterrupted`. */
export function deadOwnersInterrupt(code: number): void {
  interrupts.add(code);
}

/**
 * Use it for a kind whose waiters may not get what has reached their places in line. Their waits count as withdrawn.
 */
export function waitersMayLose(code: number, haveLost: (words: Words, element: number) => boolean): void {
  losers.set(code, haveLost);
}

/** Use it for a kind of lines whose waiters get permits that are recorded and reported like those of a semaphore. */
export function waitersGetPermits(code: number): void {
  likeSemaphores.add(code);
}

export function predictReport(words: Words, agent: number): PredictedReport {
  const isNothing = (at: number): boolean =>
    takesNothing.has(kindAt(words, words.get32(at + L.LINE))) && isGranted(words, at);
  const waits = waitsOf(words, agent).filter(
    (at) => isOpen(words, words.get32(at + L.LINE), words.get32(at + L.TAG)) && !isNothing(at),
  );
  // A lock or turn that was granted but not seen counts as withdrawn.
  const granted = waits
    .filter(
      (at) =>
        isGranted(words, at) &&
        !isLockOrOffice(words, words.get32(at + L.LINE)) &&
        losers.get(kindAt(words, words.get32(at + L.LINE)))?.(words, at) !== true,
    )
    .map((at) => ({ sem: words.get32(at + L.LINE), permits: words.get32(at + L.COUNT) }));
  const entries = entriesOf(words, agent).filter(({ sem }) => !unreported.has(kindAt(words, sem)));
  const held = entries.filter(({ sem }) => !countsWaits(words, sem));
  // The agent's waits that are no longer in line were notified. Recovery passes these notifications on.
  const notified = entries
    .filter(({ sem }) => countsWaits(words, sem))
    .map(
      ({ sem, permits }) =>
        permits - waits.filter((at) => words.get32(at + L.LINE) === sem && words.get32(at + L.LEAVING) === 0).length,
    );
  const owned = [...blocks(words)]
    .flatMap((block) => ownedLines(words, block))
    .filter((line) => ownerOfLine(words, line) === agent);
  const [sides, mutexes] = partition(owned, (line) => interrupts.has(kindAt(words, line)));
  const [locks, others] = partition([...held, ...mutexes.map((sem) => ({ sem, permits: 1 }))], ({ sem }) =>
    isLock(words, sem),
  );
  return {
    permits: sums(
      [...granted, ...others].map(({ sem, permits }) => ({
        name: readName(words, blockOf(words, sem)),
        address: blockOf(words, sem),
        permits,
      })),
      words,
    ),
    ticketsWithdrawn: notified.reduce((sum, count) => sum + count, waits.length - granted.length),
    locksOrphaned: locks.map(({ sem: lock }) => ({ name: readName(words, lock), address: blockOf(words, lock) })),
    // The buffer is listed once, even if the agent owns the locks of both sides.
    buffersInterrupted: [...new Set(sides.map((side) => blockOf(words, side)))].map((address) => ({
      name: readName(words, address),
      address,
    })),
    blocksFreed: [...blocks(words)].filter((block) => isClaimedBy(words, block, agent)).length,
  };
}

function partition<T>(all: readonly T[], is: (item: T) => boolean): [those: T[], others: T[]] {
  return [all.filter(is), all.filter((item) => !is(item))];
}

/** Converts a report to the form of the prediction: one line for each semaphore. */
export function comparable({
  permits,
  ticketsWithdrawn,
  locksOrphaned,
  buffersInterrupted,
  blocksFreed,
}: ReclaimReport): PredictedReport {
  return { permits: sums(permits), ticketsWithdrawn, locksOrphaned, buffersInterrupted, blocksFreed };
}

/** Returns the permits per semaphore, minus the permits that other agents released for this agent. */
function sums(parts: readonly RestoredPermits[], words?: Words): RestoredPermits[] {
  const all = new Map<number, RestoredPermits>();
  for (const part of parts) {
    const before =
      all.get(part.address)?.permits ?? (words === undefined ? 0 : -releasedForOthersOf(words, part.address));
    all.set(part.address, { ...part, permits: before + part.permits });
  }
  return [...all.values()].filter(({ permits }) => permits > 0).sort((a, b) => a.address - b.address);
}

/** Returns the permits released for other agents. A kind may use this word differently. */
function releasedForOthersOf(words: Words, sem: number): number {
  const isCounted =
    !isOfPackage(words, sem) ||
    (likeSemaphores.has(kindAt(words, sem)) && (words.get32(sem + L.FLAGS) & L.FLAG_RECOVERY) !== 0);
  return isCounted ? Number(words.load64(sem + L.RELEASED_FOR_OTHERS)) : 0;
}

function countsWaits(words: Words, sem: number): boolean {
  return (words.get32(sem + L.FLAGS) & L.FLAG_COUNTS_WAITS) !== 0;
}

/** Returns whether the line is a lock. A shared hold of a lock is not a lock. */
function isLock(words: Words, sem: number): boolean {
  return (words.get32(sem + L.FLAGS) & (L.FLAG_OWNED | L.FLAG_SHARED)) === L.FLAG_OWNED;
}

function isOfPackage(words: Words, sem: number): boolean {
  return words.load32(blockOf(words, sem) + L.BLOCK_KIND) > L.LAST_BASE_KIND;
}

function hasOffice(words: Words, sem: number): boolean {
  return isOfPackage(words, sem) && !likeSemaphores.has(kindAt(words, sem));
}

function isLockOrOffice(words: Words, sem: number): boolean {
  return hasOffice(words, sem) || isLock(words, sem);
}

/** Returns whether the agent owns the lock. `lock` is its line; for a read-write lock, the line of the writers. */
export function owns(words: Words, agent: number, lock: number): boolean {
  if (ownerOfLock(words, asBlock(lock)) === agent) return true;
  return entriesOf(words, agent).some(({ sem }) => sem === lock);
}

function isOpen(words: Words, sem: number, tag: number): boolean {
  // A line behind the first line of a retired block may still have its tag.
  return words.load32(sem + L.BLOCK_TAG) === tag && words.load32(blockOf(words, sem) + L.BLOCK_TAG) !== 0;
}

function isClaimedBy(words: Words, block: number, agent: number): boolean {
  const kind = words.load32(block + L.BLOCK_KIND);
  return (kind === L.KIND_CLAIMED || kind === L.KIND_LEAVING) && words.load32(block + L.BLOCK_OWNER) === agent;
}

/** Elements, and the stub, with a ticket. */
function waitsOf(words: Words, agent: number): number[] {
  const own = (head: Parameters<typeof records>[1]): number[] =>
    [...records(words, head)].filter(({ owner }) => owner === agent).map(({ record }) => record);
  const stubs = own(L.HEADER_AGENT_POOL).map((record) => record + L.AGENT_STUB);
  return [...stubs, ...own(L.HEADER_ELEMENT_POOL)].filter((at) =>
    [QUEUED, LINKED, PARKED, GRANTED].includes(words.load32(at + L.GATE)),
  );
}

/** Returns whether a wait was granted, even if it has no verdict yet. */
function isGranted(words: Words, at: number): boolean {
  const progress = words.load64(words.get32(at + L.LINE) + L.GRANT) - words.get64(at + L.DRAWN);
  return words.load32(at + L.GATE) === GRANTED || progress >= BigInt(words.get32(at + L.COUNT));
}

/** Permits of open semaphores. */
function entriesOf(words: Words, agent: number): { sem: number; permits: number }[] {
  const ledgers = [...records(words, L.HEADER_LEDGER_POOL)].filter(({ owner }) => owner === agent);
  return ledgers.flatMap(({ record }) => {
    const count = L.LEDGER_STRIDE / L.ENTRY_STRIDE - 1;
    const entries = Array.from({ length: count }, (_, index) => record + (index + 1) * L.ENTRY_STRIDE);
    return entries.flatMap((entry) => {
      const [sem, tag] = [words.get32(entry + L.ENTRY_LINE), words.get32(entry + L.ENTRY_TAG)];
      const held = tag === 0 || !isOpen(words, sem, tag) ? 0n : words.get64(entry + L.ENTRY_HELD);
      return held > 0n ? [{ sem, permits: Number(held) }] : [];
    });
  });
}
