// The entries of a keyed rate limiter: mutexes with a bucket behind them. The mutex is the line of the key's waiters,
// and its owner is the head of the line (key-rate-line.ts). The bucket is that of a rate limiter, and its steps are in
// kernel/rate.ts of @sluice/limit.
//
//   entry   the mutex · its place in a list · the bucket, the block, the number of changes · the key
//
// An entry is unused if no call waits for its key, its burst is full and it is not blocked. Its words then have the
// values of a new entry, so the table may free it.

import { BLOCK_LINE } from '@sluice/core/format';
import type { Clock } from '@sluice/core/calls';
import type { AgentContext, Words } from '@sluice/core/internal';
import { ARRIVAL, LATEST, TICKS_PER_MS, TOLERANCE } from '@sluice/limit/internal';
import { isUnusedMutex } from '@sluice/mutex/internal';
import type { EntryKind } from '../table/entry-blocks.ts';
import { PAYLOAD_AT } from '../table/layout.ts';
import { MUTEXES } from '../table/locks.ts';
import { AGREED } from './rate-terms.ts';

// Words of the payload, behind the four words of the bucket.
export const BLOCKED_UNTIL = 32; // i64: agreed time in ticks
export const IS_BLOCKED = 40; //    1: BLOCKED_UNTIL counts
export const CHANGES = 44; //       counts the changes after which the head of the line may be served earlier
export const RATE_BYTES = 48;

/** Returns the address of an entry's bucket. */
export function bucketAt(entry: number): number {
  return entry + BLOCK_LINE + PAYLOAD_AT;
}

/** Returns the time until which an entry is blocked, in ticks. 0: it is not blocked. */
export function blockedUntil(words: Words, entry: number): number {
  const bucket = bucketAt(entry);
  // Nearly all keys are not blocked, and this read needs no bigint.
  return words.load32(bucket + IS_BLOCKED) === 0 ? 0 : Number(words.load64(bucket + BLOCKED_UNTIL));
}

export class RateEntries implements EntryKind {
  readonly #clock: Clock;
  /** The words of the table (rate-terms.ts), and the zero of agreed time. */
  #terms = 0;
  #base = 0;
  /** Whether the table is about to be freed. Then the time does not keep an entry. */
  isEnding = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get code(): number {
    return MUTEXES.code;
  }

  /** Call it before the first other call. */
  begin(terms: number, base: number): void {
    this.#terms = terms;
    this.#base = base;
  }

  /** Returns the time of this agent's clock, in ticks. */
  now(): number {
    return Math.floor((this.#clock() - this.#base) * TICKS_PER_MS);
  }

  create(...args: Parameters<EntryKind['create']>): number {
    return MUTEXES.create(...args);
  }

  isFree({ words }: AgentContext, entry: number): boolean {
    // Owners are not told of an earlier owner's death, so an entry with such a notice may be freed.
    return isUnusedMutex(words, entry, true) && (this.isEnding || this.isAtRest(words, entry));
  }

  /** Whether the burst of an entry is full and the entry is not blocked. */
  isAtRest(words: Words, entry: number): boolean {
    const now = this.now();
    return Number(words.load64(bucketAt(entry) + ARRIVAL)) <= now && blockedUntil(words, entry) <= now;
  }

  freed({ words }: AgentContext): void {
    const now = BigInt(this.now());
    if (words.load64(this.#terms + AGREED) < now) words.store64(this.#terms + AGREED, now);
  }

  /** Writes the words of an entry that was just created. Writes nothing into an older one. */
  complete(words: Words, entry: number, tolerance: number): void {
    const bucket = bucketAt(entry);
    if (words.load64(bucket + TOLERANCE) !== 0n) return;
    words.store64(bucket + LATEST, words.load64(this.#terms + AGREED));
    // Written last: an agent that dies before leaves an entry that the next one completes.
    words.store64(bucket + TOLERANCE, BigInt(tolerance));
  }
}
