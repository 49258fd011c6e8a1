// Durations, as a histogram whose buckets grow with the duration: eight for each doubling. So a percentile is at most
// 9 % too long, and a histogram of any number of durations has some hundred buckets.

/** Buckets for each doubling of the duration. */
const PER_DOUBLING = 8;
/** The upper end of the first bucket, in ms: shorter than what any clock of a page tells apart. */
const SHORTEST_MS = 0.000_1;

/** Durations in ms, as data that can be posted to another thread. */
export interface DurationData {
  readonly count: number;
  readonly total: number;
  /** 0 if there is no duration. */
  readonly min: number;
  readonly max: number;
  /** The numbers of durations by bucket, without empty buckets. */
  readonly buckets: readonly (readonly [bucket: number, count: number])[];
}

export class Durations {
  #count = 0;
  #total = 0;
  #min = Infinity;
  #max = 0;
  readonly #buckets = new Map<number, number>();

  add(ms: number): void {
    this.#count += 1;
    this.#total += ms;
    this.#min = Math.min(this.#min, ms);
    this.#max = Math.max(this.#max, ms);
    const bucket = bucketOf(ms);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  get data(): DurationData {
    const buckets = [...this.#buckets].sort(([a], [b]) => a - b);
    return { count: this.#count, total: this.#total, min: this.#count === 0 ? 0 : this.#min, max: this.#max, buckets };
  }
}

function bucketOf(ms: number): number {
  return ms <= SHORTEST_MS ? 0 : Math.ceil(Math.log2(ms / SHORTEST_MS) * PER_DOUBLING);
}

/** Returns the durations of both. */
export function merged(one: DurationData, other: DurationData): DurationData {
  if (one.count === 0) return other;
  if (other.count === 0) return one;
  const buckets = new Map(one.buckets);
  for (const [bucket, count] of other.buckets) buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
  return {
    count: one.count + other.count,
    total: one.total + other.total,
    min: Math.min(one.min, other.min),
    max: Math.max(one.max, other.max),
    buckets: [...buckets].sort(([a], [b]) => a - b),
  };
}

/**
 * Returns the duration that a share of all durations does not exceed, in ms. It is at most 9 % too long, and never
 * longer than the longest.
 *
 * @param share - 0 to 1: 0.99 for the 99th percentile.
 */
export function percentileOf({ count, min, max, buckets }: DurationData, share: number): number {
  let left = Math.ceil(count * share);
  for (const [bucket, held] of buckets) {
    left -= held;
    if (left <= 0) return Math.max(min, Math.min(max, SHORTEST_MS * 2 ** (bucket / PER_DOUBLING)));
  }
  return max;
}

/** Returns the average duration in ms; 0 if there is none. */
export function averageOf({ count, total }: DurationData): number {
  return count === 0 ? 0 : total / count;
}
