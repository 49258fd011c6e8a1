// The accounts of a bounded buffer: rules that hold between any two steps, read from its words.

import { records } from '../../../core/src/memory/records.ts';
import * as L from '../../../core/src/kernel/layout.ts';
import { ABANDONED, GRANTED, LINKED, PARKED, QUEUED } from '../../../core/src/kernel/states.ts';
import { high32, low32 } from '../../../core/src/kernel/words.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import { MIN_UNITS, NEEDED, POSITION, RING_BYTES, ROOM, HAS_HEAD } from '../../src/kernel/layout.ts';

/**
 * Accounts of the waits, of the permits that agents hold of a line, and of the units of each value that should be in
 * the buffer.
 */
export interface BufferAccounts {
  readonly elements: readonly number[];
  readonly held: (sem: number) => bigint;
  readonly values?: readonly number[];
}

/** The ring is behind the lines of the block. */
const RING = 7 * L.BLOCK_LINE;
const IN_LINE: readonly number[] = [QUEUED, LINKED, PARKED, GRANTED, ABANDONED];

export function sidesOf(block: number): { readonly producers: number; readonly consumers: number } {
  return { producers: block + L.BLOCK_LINE, consumers: block + 2 * L.BLOCK_LINE };
}

/** The line in which agents of that side wait. */
export function semaphoreOf(side: number): number {
  return side + 2 * L.BLOCK_LINE;
}

/** The units of room in use, and the number of values. */
export function positionsOf(words: Words, block: number): { readonly used: number; readonly values: number } {
  const { producers, consumers } = sidesOf(block);
  const [put, taken] = [words.load64(producers + POSITION), words.load64(consumers + POSITION)];
  return { used: (low32(put) - low32(taken)) | 0, values: (high32(put) - high32(taken)) | 0 };
}

/** The units for which agents are queued. Less than 0: permits are free. */
export function wantedAt(words: Words, side: number): bigint {
  const sem = semaphoreOf(side);
  return BigInt.asIntN(64, words.load64(sem + L.TICKET) - words.load64(sem + L.GRANT));
}

/** Returns the faults of a buffer: its positions and, with `accounts` and while it is open, its heads. */
export function invariantFault(words: Words, block: number, accounts?: BufferAccounts): string | undefined {
  const room = words.get32(sidesOf(block).producers + ROOM);
  const { used, values } = positionsOf(words, block);
  const known = accounts?.values;
  if (used < 0 || used > room || values < 0 || values > used) return `${values} values in ${used} of ${room} units`;
  if (known !== undefined && values !== known.length) return `${values} values, expected ${known.length}`;
  if (known !== undefined && used !== known.reduce((sum, units) => sum + units, 0)) return `${used} units in use`;
  if (accounts === undefined || words.load32(semaphoreOf(sidesOf(block).producers) + L.BLOCK_TAG) < 0) return undefined;
  return headFault(words, sidesOf(block).producers, accounts) ?? headFault(words, sidesOf(block).consumers, accounts);
}

/** HAS_HEAD is the number of permits, at most 1. */
function headFault(words: Words, side: number, accounts: BufferAccounts): string | undefined {
  const permits = permitsAt(words, side, accounts);
  const hasOne = hasHead(words, side);
  return BigInt(hasOne) === permits && hasOne <= 1 ? undefined : `line ${side}: ${hasOne} heads, ${permits} permits`;
}

/** 1: the side's line has a head. */
export function hasHead(words: Words, side: number): number {
  return words.get32(side + HAS_HEAD);
}

/** Permits at a side's semaphore: free, held, or granted to queued agents. */
function permitsAt(words: Words, side: number, { elements, held }: BufferAccounts): bigint {
  const sem = semaphoreOf(side);
  const asked = elements.filter(
    (at) => words.get32(at + L.LINE) === sem && IN_LINE.includes(words.load32(at + L.GATE)),
  );
  const inLine = asked.reduce((sum, at) => sum + BigInt(words.get32(at + L.COUNT)), 0n);
  return inLine + held(sem) - wantedAt(words, side);
}

/** The accounts in the agents' records of the arena. */
function localAccounts(words: Words): BufferAccounts {
  const stubs = [...records(words, L.HEADER_AGENT_POOL)].map(({ record }) => record + L.AGENT_STUB);
  const elements = [...records(words, L.HEADER_ELEMENT_POOL)].map(({ record }) => record);
  const held = (sem: number): bigint =>
    entriesAt(words, sem).reduce((sum, entry) => sum + words.get64(entry + L.ENTRY_HELD), 0n);
  return { elements: [...stubs, ...elements], held };
}

function entriesAt(words: Words, sem: number): number[] {
  const count = L.LEDGER_STRIDE / L.ENTRY_STRIDE - 1;
  const ledgers = [...records(words, L.HEADER_LEDGER_POOL)].filter(({ owner }) => owner !== 0);
  const all = ledgers.flatMap(({ record }) =>
    Array.from({ length: count }, (_, index) => record + (index + 1) * L.ENTRY_STRIDE),
  );
  return all.filter((entry) => words.get32(entry + L.ENTRY_LINE) === sem && words.get32(entry + L.ENTRY_TAG) !== 0);
}

/** Returns the faults of a buffer at rest: owned locks, units with a waiter, accounts that do not balance. */
export function restFaults(words: Words, block: number): readonly string[] {
  const { producers, consumers } = sidesOf(block);
  const locked = [producers, consumers].filter((side) => isLocked(words, side)).map((side) => `side ${side} is locked`);
  const due = dueSides(words, block).map((side) => `units are there for the waiters of side ${side}`);
  const fault = invariantFault(words, block, localAccounts(words));
  return [...locked, ...due, ...(fault === undefined ? [] : [fault])];
}

/** Returns the sides of an open buffer at which an agent waits for units that are there. */
function dueSides(words: Words, block: number): readonly number[] {
  const { producers, consumers } = sidesOf(block);
  if (words.load32(semaphoreOf(producers) + L.BLOCK_TAG) < 0) return [];
  const { used, values } = positionsOf(words, block);
  const there = new Map([
    [producers, words.get32(producers + ROOM) - used],
    [consumers, values],
  ]);
  return [producers, consumers].filter((side) => {
    const needed = words.get32(semaphoreOf(side) + NEEDED);
    const given = hasHead(words, side) !== 0;
    const least = side === producers ? words.get32(block + MIN_UNITS) : 1;
    const units = there.get(side) ?? 0;
    return given ? needed !== 0 && units >= needed : wantedAt(words, side) > 0n && units >= least;
  });
}

/** Whether the lock is owned or waited for. A notice only says that the permit is free. */
export function isLocked(words: Words, side: number): boolean {
  return (words.load64(side + L.OFFICE) & ~(1n << 32n)) !== 0n;
}

/** The values in a buffer of int32, oldest first. */
export function ringOf(words: Words, block: number): readonly number[] {
  const { values } = positionsOf(words, block);
  const first = low32(words.load64(sidesOf(block).consumers + POSITION));
  const mask = words.get32(block + RING_BYTES) / 4 - 1;
  return Array.from({ length: values }, (_, index) => words.get32(block + RING + ((first + index) & mask) * 4));
}
