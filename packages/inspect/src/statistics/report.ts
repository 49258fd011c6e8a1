// Statistics as data: plain objects that can be posted to another thread, and merged there.

import type { Place } from '../observe/call-place.ts';
import type { RwLockSide } from '../observe/used-primitive.ts';
import { merged, type DurationData } from './durations.ts';

/** What sampled calls from one place of the program add up to. Each sample stands for `sample` calls. */
export interface PlaceStatistics {
  /** The callers, the innermost first. */
  readonly stack: readonly Place[];
  /** Sampled calls times `sample`: an estimate of the number of calls. */
  readonly count: number;
  /** ms, also times `sample`. */
  readonly total: number;
}

/** The longest hold that was sampled. */
export interface LongestHold {
  readonly ms: number;
  readonly place: Place;
  /** How reports name the agent, such as "agent 3 (thread 5, resizer)". */
  readonly holder: string;
}

/** The statistics of a primitive, or of one side of a read-write lock. */
export interface PrimitiveStatistics {
  /** How reports name it, such as "lock 'accounts'". */
  readonly primitive: string;
  readonly kind: string;
  readonly name: string;
  readonly side: RwLockSide;
  readonly arena: string;
  readonly address: number;
  /** Calls that acquired it. Exact. */
  readonly acquisitions: number;
  /** Calls that had to wait. Exact. */
  readonly contentions: number;
  /** The duration of each wait, in ms. Exact but for the percentiles, which are at most 9 % too long. */
  readonly waits: DurationData;
  /** The durations of the sampled holds, in ms. */
  readonly holds: DurationData;
  readonly longest?: LongestHold;
  /** The places at which the program waits, the longest total time first. */
  readonly waitPlaces: readonly PlaceStatistics[];
  /** The places at which the program acquires the primitive, the longest total hold first. */
  readonly holdPlaces: readonly PlaceStatistics[];
}

/** The statistics of a thread, or of several. */
export interface StatisticsReport {
  /** The sampling rate: one of this many calls was sampled. */
  readonly sample: number;
  /** ms from the start or the last reset. */
  readonly duration: number;
  /** The primitives, the longest total wait first. */
  readonly primitives: readonly PrimitiveStatistics[];
}

/** The maximum number of places that are kept for a primitive. Those with the shortest times are dropped first. */
export const MOST_PLACES = 64;

/**
 * Merges the statistics of several threads. A primitive that several threads used appears once in the result.
 *
 * ```ts run
 * import { formatStatistics, mergeStatistics, startStatistics } from '@sluice/inspect';
 *
 * const statistics = startStatistics();
 * // … each worker posts its own `statistics.snapshot()`
 * const all = mergeStatistics(statistics.snapshot(), statistics.snapshot());
 * console.log(formatStatistics(all).split('\n')[0]); // No calls of locks or semaphores.
 * ```
 */
export function mergeStatistics(...reports: readonly StatisticsReport[]): StatisticsReport {
  const all = new Map<string, PrimitiveStatistics>();
  for (const { primitives } of reports) {
    for (const primitive of primitives) {
      const key = `${primitive.arena} ${primitive.address} ${primitive.side} ${primitive.primitive}`;
      const known = all.get(key);
      all.set(key, known === undefined ? primitive : together(known, primitive));
    }
  }
  return {
    sample: Math.max(1, ...reports.map(({ sample }) => sample)),
    duration: Math.max(0, ...reports.map(({ duration }) => duration)),
    primitives: inOrder([...all.values()]),
  };
}

/** Orders statistics by what the program waited for the longest. */
export function inOrder(primitives: readonly PrimitiveStatistics[]): PrimitiveStatistics[] {
  return [...primitives].sort((a, b) => b.waits.total - a.waits.total || b.acquisitions - a.acquisitions);
}

function together(one: PrimitiveStatistics, other: PrimitiveStatistics): PrimitiveStatistics {
  const longest = (one.longest?.ms ?? -1) >= (other.longest?.ms ?? -1) ? one.longest : other.longest;
  return {
    ...one,
    acquisitions: one.acquisitions + other.acquisitions,
    contentions: one.contentions + other.contentions,
    waits: merged(one.waits, other.waits),
    holds: merged(one.holds, other.holds),
    ...(longest !== undefined && { longest }),
    waitPlaces: placesTogether(one.waitPlaces, other.waitPlaces),
    holdPlaces: placesTogether(one.holdPlaces, other.holdPlaces),
  };
}

function placesTogether(one: readonly PlaceStatistics[], other: readonly PlaceStatistics[]): PlaceStatistics[] {
  const all = new Map<string, PlaceStatistics>();
  for (const place of [...one, ...other]) {
    const key = stackKey(place.stack);
    const { count, total } = all.get(key) ?? { count: 0, total: 0 };
    all.set(key, { stack: place.stack, count: count + place.count, total: total + place.total });
  }
  return longestFirst([...all.values()]);
}

/** Orders places by their time, and drops those beyond `MOST_PLACES`. */
export function longestFirst(places: readonly PlaceStatistics[]): PlaceStatistics[] {
  return [...places].sort((a, b) => b.total - a.total || b.count - a.count).slice(0, MOST_PLACES);
}

/** Returns a key that is the same for equal stacks. */
export function stackKey(stack: readonly Place[]): string {
  return stack.map(({ file, line }) => `${file}:${line}`).join('\n');
}
