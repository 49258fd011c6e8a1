// The table of a keyed rate limiter: how it is created and opened. Behind its lists it has the terms of the rate.

import type { Arena } from '@sluice/core';
import { checkOptions, type Clock } from '@sluice/core/calls';
import { chosenArena, type PrimitiveHandle } from '@sluice/core/internal';
import { checkTerms, type RateTerms } from '@sluice/limit/internal';
import { KeyTable, type TableTraits } from '../table/key-table.ts';
import { MANY_BUCKETS, MARK_RATES, USUALLY_KEPT } from '../table/layout.ts';
import { RATE_BYTES, RateEntries } from './rate-entries.ts';
import { readTerms, TERMS_BYTES, writeTerms, type KeyRateTerms } from './rate-terms.ts';

export const KIND = 'sluice.keyed-rate-limiter';
export const NAMING = { className: 'KeyedRateLimiter', what: 'The keyed rate limiter' };

export type KeyedRateLimiterHandle = PrimitiveHandle<'sluice.keyed-rate-limiter'>;

export interface KeyedRateLimiterOptions extends RateTerms {
  /** The arena that contains the limiter. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

const OPTIONS: readonly string[] = ['permits', 'interval', 'burst', 'arena', 'name'];

export function traitsOf(entries: RateEntries): TableTraits {
  return {
    mark: MARK_RATES,
    payload: RATE_BYTES,
    kept: USUALLY_KEPT,
    ...NAMING,
    entries,
    bucketsAt: MANY_BUCKETS,
    wait: { late: 'gave no permit', untouched: 'No permit was taken.' },
  };
}

/** An open keyed rate limiter. */
export interface OpenedRateTable extends KeyRateTerms {
  readonly keys: KeyTable;
  readonly entries: RateEntries;
  readonly clock: Clock;
}

/** Creates the table. Throws as `KeyedRateLimiter.create` does. */
export function createRates(options: KeyedRateLimiterOptions, clock: Clock): OpenedRateTable {
  checkOptions(options, OPTIONS);
  const terms: KeyRateTerms = { rate: checkTerms(options), base: Math.floor(clock()) };
  const entries = new RateEntries(clock);
  const keys = KeyTable.create(chosenArena(options.arena), options.name, traitsOf(entries), true, {
    bytes: TERMS_BYTES,
    fill: (words, address) => writeTerms(words, address, terms),
  });
  entries.begin(keys.data.address, terms.base);
  return { keys, entries, clock, ...terms };
}

/** Opens the table of a handle. Throws `HandleError`. */
export function openRates(handle: KeyedRateLimiterHandle, clock: Clock): OpenedRateTable {
  const entries = new RateEntries(clock);
  const keys = KeyTable.open(handle, KIND, traitsOf(entries));
  const terms = readTerms(keys.context.words, keys.data.address);
  entries.begin(keys.data.address, terms.base);
  return { keys, entries, clock, ...terms };
}
