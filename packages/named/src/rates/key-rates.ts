// The buckets of a keyed rate limiter, as one agent sees them.
//
// An agent takes permits while it owns the mutex of the table or the mutex of the key. An agent that owns the mutex of
// the table takes nothing while a call waits for the key. So no call overtakes the head of the line. All other changes
// are made under the mutex of the table. The head may take permits at the same time, so both use the atomic steps of
// the rate limiter of @sluice/limit.

import { hasCode } from '@sluice/core';
import { BLOCK_TAG, OVERFLOW, TAKEN, WAITING } from '@sluice/core/format';
import { corrupt, retryOrThrow, type Words } from '@sluice/core/internal';
import { ARRIVAL, Bucket, TICKS_PER_MS, type Rate } from '@sluice/limit/internal';
import { isUnusedMutex } from '@sluice/mutex/internal';
import type { KnownEntry, KeyTable } from '../table/key-table.ts';
import { BLOCKED_UNTIL, blockedUntil, bucketAt, CHANGES, IS_BLOCKED, type RateEntries } from './rate-entries.ts';
import { SWEPT } from './rate-terms.ts';

/** The most entries that an agent keeps at hand. */
const MAX_KNOWN = 4096;
/** The calls between two looks at whether a sweep is due. */
const CALLS_PER_LOOK = 256;
/** The least time between two sweeps, in ticks: one second. */
const LEAST_PERIOD = 1000 * TICKS_PER_MS;
/**
 * The `since` of a call that does not wait: its permits count from the time at which it takes them. It is not negative,
 * so the step does not look for a line: here the line is a mutex, and this file looks at it.
 */
const NOT_WAITED = Infinity;
/** The largest time: 2^53 - 1 ticks. */
const MAX_TICKS = Number.MAX_SAFE_INTEGER;
/** The `since` of permits that are booked whatever the line is. */
const PENALTY = 0;

/** An entry that this agent has found, with its bucket. */
export interface KnownRate extends KnownEntry {
  readonly bucket: Bucket;
}

/** The answer to a call that takes permits at once. */
export interface RateAnswer {
  /** Whether the permits were taken. */
  readonly taken: boolean;
  /** The number of permits that are left. */
  readonly remaining: number;
  /** If the permits were not taken: the ms after which the same call can succeed at the earliest. Otherwise 0. */
  readonly retryAfter: number;
}

export class KeyRates {
  readonly keys: KeyTable;
  readonly rate: Rate;
  readonly #entries: RateEntries;
  readonly #base: number;
  readonly #clock: () => number;
  readonly #terms: number;
  readonly #known = new Map<string, KnownRate>();
  readonly #period: number;
  #untilLook = CALLS_PER_LOOK;

  constructor(keys: KeyTable, entries: RateEntries, rate: Rate, base: number, clock: () => number) {
    this.keys = keys;
    this.rate = rate;
    this.#entries = entries;
    this.#base = base;
    this.#clock = clock;
    this.#terms = keys.data.address;
    this.#period = Math.max(rate.tolerance, LEAST_PERIOD);
  }

  /**
   * Takes permits that cost `cost` ticks. Returns 0, or the ticks until they can be taken, or WAITING if a call waits
   * for the key.
   */
  take(key: string, cost: number): number {
    this.#countCall();
    const known = this.#known.get(key);
    if (known !== undefined && this.keys.enterNow()) {
      try {
        if (this.keys.isThere(known)) return this.#takeFrom(known, cost);
      } finally {
        this.keys.leave();
      }
    }
    return this.#visit(key, (found) => this.#takeFrom(found, cost));
  }

  /** Takes permits as `take` does, and says what is left. */
  consume(key: string, cost: number): RateAnswer {
    return this.visit(key, (found) => {
      const left = this.#takeFrom(found, cost);
      const taken = left === 0;
      return { taken, remaining: this.#levelOf(found), retryAfter: taken ? 0 : this.#retryAfter(found, cost) };
    });
  }

  /** Returns the permits that could be taken now. 0 while a call waits for the key, or it is blocked. */
  remaining(key: string): number {
    return this.#at(key, this.rate.burst, (found) => this.#levelOf(found));
  }

  /** Returns the ms until permits that cost `cost` can be taken, at the earliest. */
  retryAfter(key: string, cost: number): number {
    return this.#at(key, 0, (found) => this.#retryAfter(found, cost));
  }

  /** Returns the ms for which the key is still blocked. */
  blockedFor(key: string): number {
    return this.#at(key, 0, (found) => this.stateOf(found).blockedFor);
  }

  /** Returns the permits that could be taken now, and the ms for which the key is still blocked. */
  stateOf(found: KnownRate): { readonly remaining: number; readonly blockedFor: number } {
    const blockedFor = Math.ceil(this.#untilUnblocked(found) / TICKS_PER_MS);
    return { remaining: this.#levelOf(found), blockedFor };
  }

  /** Takes permits that cost `cost` ticks, also permits of a later time. Returns false if that is 17 years away. */
  penalize(key: string, cost: number): boolean {
    return this.visit(key, ({ bucket }) => bucket.book(cost, PENALTY) !== OVERFLOW);
  }

  /** Gives back permits that cost `cost` ticks. The burst is never more than full. */
  reward(key: string, cost: number): void {
    this.#change(key, ({ entry, bucket }) => {
      for (let tries = 1; ; tries++) {
        const arrival = Number(this.#words.load64(bucketAt(entry) + ARRIVAL));
        const back = Math.min(cost, arrival - bucket.agreed());
        if (back <= 0 || bucket.returnBooking({ booked: arrival, cost: back }) === TAKEN) return;
        // The head has taken permits in between.
        retryOrThrow(tries);
      }
    });
  }

  /** Lets no call through for `ms`, from now. */
  block(key: string, ms: number): void {
    this.visit(key, ({ entry, bucket }) => {
      const until = Math.min(MAX_TICKS, bucket.agreed() + Math.ceil(ms * TICKS_PER_MS));
      this.#words.store64(bucketAt(entry) + BLOCKED_UNTIL, BigInt(until));
      // After the time: the head reads this word first, without the mutex of the table.
      this.#words.store32(bucketAt(entry) + IS_BLOCKED, 1);
      this.#tell(entry);
    });
  }

  unblock(key: string): void {
    this.#change(key, ({ entry }) => this.#words.store32(bucketAt(entry) + IS_BLOCKED, 0));
  }

  /** Makes the burst of a key full, and unblocks it. */
  reset(key: string): void {
    this.#change(key, ({ entry, tag }) => {
      this.#words.store32(bucketAt(entry) + IS_BLOCKED, 0);
      this.#words.store64(bucketAt(entry) + ARRIVAL, 0n);
      if (isUnusedMutex(this.#words, entry, true)) this.keys.table.tidy(entry);
      return this.#words.load32(entry + BLOCK_TAG) === tag;
    });
  }

  /** Returns the time until the owner of the key's mutex can take permits that cost `cost`, 0 if it has taken them. */
  takeAtHead(found: KnownRate, cost: number, since: number): number {
    const blocked = this.#untilUnblocked(found);
    if (blocked > 0) return blocked;
    const left = found.bucket.take(cost, since);
    // The head owns a lock of the table, so the table is there.
    if (left < 0) throw corrupt('a bucket of a keyed rate limiter is closed');
    return left;
  }

  /** Returns the entry of a key whose table's mutex or whose own mutex this agent owns. */
  foundAt(key: string, entry: number): KnownRate {
    const known = this.#known.get(key);
    const tag = this.#words.load32(entry + BLOCK_TAG);
    if (known?.entry === entry && known.tag === tag) return known;
    this.#entries.complete(this.#words, entry, this.rate.tolerance);
    const ref = this.keys.blocks.refOf(entry);
    const bucket = new Bucket(ref, { tag }, bucketAt(entry), this.rate, this.#base, this.#clock);
    const found = { entry, tag, bucket };
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  /** Calls `act` with the entry of a key under the mutex of the table. Creates the entry if there is none. */
  visit<T>(key: string, act: (found: KnownRate) => T): T {
    this.#countCall();
    return this.#visit(key, act);
  }

  /** Runs `act`. If the arena is full, frees the entries at rest and runs it again. */
  withRoom<T>(act: () => T): T {
    try {
      return act();
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_ARENA_FULL')) throw failure;
      this.sweep();
      return act();
    }
  }

  /** Frees the entries that are at rest. */
  sweep(): void {
    this.keys.under(() => this.keys.table.sweep());
  }

  get #words(): Words {
    return this.keys.context.words;
  }

  #visit<T>(key: string, act: (found: KnownRate) => T): T {
    return this.withRoom(() => this.keys.visit(key, this.#known.get(key), (entry) => act(this.foundAt(key, entry))));
  }

  #countCall(): void {
    if (--this.#untilLook <= 0) this.#sweepIfDue();
  }

  /** Looks whether a sweep is due: keys that are at rest would otherwise stay until others are created. */
  #sweepIfDue(): void {
    this.#untilLook = CALLS_PER_LOOK;
    const now = this.#entries.now();
    const isDue = (): boolean => now - Number(this.#words.load64(this.#terms + SWEPT)) >= this.#period;
    if (!isDue()) return;
    this.keys.under(() => {
      // Another agent may have swept in the meantime.
      if (!isDue()) return;
      this.#words.store64(this.#terms + SWEPT, BigInt(now));
      this.keys.table.sweep();
    });
  }

  #takeFrom(found: KnownRate, cost: number): number {
    if (!isUnusedMutex(this.#words, found.entry, true)) return WAITING;
    const blocked = this.#untilUnblocked(found);
    return blocked > 0 ? blocked : found.bucket.take(cost, NOT_WAITED);
  }

  #levelOf(found: KnownRate): number {
    return isUnusedMutex(this.#words, found.entry, true) && this.#untilUnblocked(found) === 0 ? found.bucket.level : 0;
  }

  #retryAfter(found: KnownRate, cost: number): number {
    const blocked = this.#untilUnblocked(found) / TICKS_PER_MS;
    const left = Math.ceil(Math.max(blocked, found.bucket.untilFree(cost)));
    return Math.max(left, isUnusedMutex(this.#words, found.entry, true) ? 0 : 1);
  }

  /** Returns the ticks for which an entry is still blocked. */
  #untilUnblocked({ entry, bucket }: KnownRate): number {
    const until = blockedUntil(this.#words, entry);
    if (until === 0) return 0;
    return until === MAX_TICKS ? Infinity : Math.max(0, until - bucket.agreed());
  }

  /** Returns what `look` returns for the entry of a key, or `atRest` if there is none. Creates no entry. */
  #at<T>(key: string, atRest: T, look: (found: KnownRate) => T): T {
    return this.keys.look(key, this.#known.get(key), false, (entry) =>
      entry === 0 ? atRest : look(this.foundAt(key, entry)),
    );
  }

  /** Changes the entry of a key, if there is one, in favour of its waiters, and wakes the head. */
  #change(key: string, change: (found: KnownRate) => unknown): void {
    this.keys.look(key, this.#known.get(key), false, (entry) => {
      if (entry !== 0 && change(this.foundAt(key, entry)) !== false) this.#tell(entry);
    });
  }

  /**
   * Wakes the head of the line, if it sleeps. Lost wake-up, changing side: the words first, then CHANGES. Pairs with
   * `KeyRateLine.block` and `#takeAtHead`: the head reads CHANGES before it reads the words, and sleeps only while CHANGES
   * has that value. If it read CHANGES last, the words and CHANGES could change in between, and it would sleep on the
   * new value.
   */
  #tell(entry: number): void {
    const word = bucketAt(entry) + CHANGES;
    this.#words.add32(word, 1);
    this.keys.context.parking.notify(word);
  }
}
