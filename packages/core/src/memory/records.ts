// Reads the records of a pool, and the entries of the ledgers.

import {
  HEADER_LEDGER_POOL,
  type HEADER_AGENT_POOL,
  type HEADER_ELEMENT_POOL,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_STRIDE,
  ENTRY_TAG,
  LEDGER_STRIDE,
  OWNER,
  POOL_RECORDS,
} from '../kernel/layout.ts';
import {
  asEntry,
  asLine,
  type AgentAddress,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
} from '../kernel/addresses.ts';
import type { Words } from '../kernel/words.ts';
import { poolBlocks } from './corrupt.ts';

/** The record types of the pools. */
interface Records {
  readonly [HEADER_AGENT_POOL]: AgentAddress;
  readonly [HEADER_ELEMENT_POOL]: ElementAddress;
  readonly [HEADER_LEDGER_POOL]: number;
}

/** Yields every record of a pool with its owner's agent id (0 = free), newest block first. */
export function* records<Head extends keyof Records>(
  words: Words,
  head: Head,
): Generator<{ record: Records[Head]; owner: number }> {
  for (const { block, count, stride } of poolBlocks(words, words.load32(head))) {
    for (let index = 0; index < count; index++) {
      const record = block + POOL_RECORDS + index * stride;
      yield { record: record as Records[Head], owner: words.load32(record + OWNER) };
    }
  }
}

/** What a ledger's owner holds of a primitive, according to the ledger. */
export interface EntryRecord {
  readonly entry: EntryAddress;
  readonly owner: number;
  readonly address: LineAddress;
  /** 0: the entry is free. */
  readonly tag: number;
  readonly held: bigint;
}

/** Yields the entries, open or not, of all ledgers of agents other than `id`. */
export function* entriesBut(words: Words, id: number): Generator<EntryAddress> {
  for (const { record, owner } of records(words, HEADER_LEDGER_POOL)) {
    if (owner === 0 || owner === id) continue;
    for (let entry = record + ENTRY_STRIDE; entry < record + LEDGER_STRIDE; entry += ENTRY_STRIDE) yield asEntry(entry);
  }
}

/** Yields the entries of all ledgers that have an owner, or of at most `most` ledgers. */
export function* entries(words: Words, most = Infinity): Generator<EntryRecord> {
  let seen = 0;
  for (const { record, owner } of records(words, HEADER_LEDGER_POOL)) {
    if (++seen > most) return;
    if (owner === 0) continue;
    for (let entry = record + ENTRY_STRIDE; entry < record + LEDGER_STRIDE; entry += ENTRY_STRIDE) {
      yield {
        entry: asEntry(entry),
        owner,
        address: asLine(words.get32(entry + ENTRY_LINE)),
        tag: words.get32(entry + ENTRY_TAG),
        held: words.get64(entry + ENTRY_HELD),
      };
    }
  }
}
