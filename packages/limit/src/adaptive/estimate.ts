// How an adaptive limit finds its size: the next estimate from the last one and a window of samples. This code uses
// neither shared memory nor a clock.
//
// A limit that is too large queues its calls at the server, so their latency rises above the baseline, the latency
// without a queue. The ratio of the two says by how much the limit is too large: in a server that is full, latency is
// proportional to the number of running calls (Little's law). So:
//
//   latency                             next size
//   up to the lower edge of the band    + √size, if the limit was used; doubled, until the first queue is seen
//   within the band                     unchanged
//   above the band                      the size at which the latency would be in the middle of the band, at least half
//
// The band begins half way between the baseline and the tolerance. Within the band the size does not change, so it
// settles.
//
// The baseline is measured again from time to time, at half the size. If the baseline has risen, half of that size is
// tried, too, and so on, until less load makes no call faster. Then the server itself is slower. At the minimum no size
// is left to try, so the latency there is the baseline.

/** The terms of an adaptive limit. They never change. */
export interface AdaptiveTerms {
  readonly min: number;
  readonly max: number;
  /** The highest latency that counts as that of a server without a queue, as a multiple of the baseline. */
  readonly tolerance: number;
}

export interface Estimate {
  /** The limit has this many slots, rounded down. */
  readonly size: number;
  /** The latency of a call while the server has no queue, in ms. 0: not known yet. */
  readonly baseline: number;
  /** The average latency of the last window that was no probe, in ms. */
  readonly latency: number;
  /** The size to return to after a probe. 0: no probe is under way. */
  readonly resume: number;
  /** The average latency of the last probe, in ms. 0: this probe is the first one. */
  readonly probed: number;
  /** The number of windows since the last probe. */
  readonly windows: number;
  /** Whether the size doubles, because no queue was seen yet. */
  readonly isStarting: boolean;
}

/** The samples of a window. */
export interface Samples {
  /** The number of calls whose function returned a result. */
  readonly count: number;
  /** The sum of their latencies, in ms. */
  readonly sum: number;
  /** The number of calls that found no free slot when they ended, overloads included. */
  readonly saturated: number;
  /** The number of calls that failed because the server was overloaded. */
  readonly overloads: number;
}

/** The least number of samples of a window. An average of fewer would depend on chance. */
const LEAST_SAMPLES = 32;
/** The number of samples of a window for each slot. */
const SAMPLES_PER_SLOT = 4;
/** The number of windows from one probe to the next. A probe costs half the throughput of about two windows. */
const PROBE_EVERY = 64;
/** The smallest factor of a decrease, so that one window of slow calls does not stop all calls. */
const SMALLEST_FACTOR = 0.5;
/** The size decreases if more than this share of a window's calls were overloads. */
const OVERLOAD_SHARE = 0.05;
const OVERLOAD_FACTOR = 0.9;
/** A probe shows a queue if its latency differs by more than this factor from that of the probe before. */
const SAME = 0.9;
/** How fast a latency below the baseline lowers the baseline. */
const LOWERING = 0.25;
/** A latency below this share of the baseline shows that the server is faster. It is the new baseline at once. */
const FASTER = 0.7;

export function firstEstimate(size: number): Estimate {
  return { size, baseline: 0, latency: 0, resume: 0, probed: 0, windows: 0, isStarting: true };
}

/** Returns the number of samples, overloads included, that a window needs. */
export function samplesOf(size: number): number {
  return Math.max(LEAST_SAMPLES, SAMPLES_PER_SLOT * Math.floor(size));
}

/** Returns the estimate after a window of at least one sample. */
export function nextEstimate(last: Estimate, samples: Samples, terms: AdaptiveTerms): Estimate {
  if (samples.overloads > OVERLOAD_SHARE * (samples.count + samples.overloads)) return afterOverload(last, terms);
  const latency = samples.sum / samples.count;
  const isUsed = 2 * samples.saturated >= samples.count;
  if (last.resume > 0) return afterProbe(last, latency, isUsed, terms);
  if (last.baseline === 0) {
    // The first latency may already include a queue. Use it as the baseline only if no smaller size is faster.
    return last.size > terms.min
      ? probe({ ...last, latency }, terms)
      : settleBaseline({ ...last, latency, baseline: latency }, isUsed, terms);
  }
  const next = settleBaseline({ ...last, latency }, isUsed, terms);
  return next.windows >= PROBE_EVERY && next.size > terms.min ? probe(next, terms) : next;
}

/** Returns the estimate after a window at full size. */
function settleBaseline(last: Estimate, isUsed: boolean, terms: AdaptiveTerms): Estimate {
  const { latency, size } = last;
  const edge = (1 + terms.tolerance) / 2;
  const windows = last.windows + 1;
  const ratio = latency / last.baseline;
  if (ratio > terms.tolerance) {
    if (size <= terms.min) return { ...last, size: terms.min, baseline: latency, windows: 0, isStarting: true };
    return {
      ...last,
      size: Math.max(atMiddle(size, ratio, terms), size * SMALLEST_FACTOR),
      windows,
      isStarting: false,
    };
  }
  // The new latency may still be that of a queue, so a probe follows.
  if (ratio < FASTER) return { ...last, baseline: latency, windows: PROBE_EVERY };
  const baseline = ratio < 1 ? last.baseline + LOWERING * (latency - last.baseline) : last.baseline;
  if (ratio > edge) return { ...last, baseline, windows, isStarting: false };
  if (!isUsed) return { ...last, baseline, windows };
  const more = last.isStarting ? size : Math.max(1, Math.sqrt(size));
  return { ...last, baseline, windows, size: Math.min(terms.max, size + more) };
}

/**
 * Returns the size at which the latency would be in the middle of the band. `ratio`: the latency at `size`, as a
 * multiple of the baseline. It was measured with whole slots.
 */
function atMiddle(size: number, ratio: number, { min, tolerance }: AdaptiveTerms): number {
  return Math.max(min, (Math.floor(size) * (1 + 3 * tolerance)) / (4 * ratio));
}

/** Begins a probe at half the size. */
function probe(last: Estimate, { min }: AdaptiveTerms): Estimate {
  const { size, resume } = last;
  return { ...last, size: Math.max(min, size / 2), resume: resume > 0 ? resume : size, windows: 0 };
}

function afterProbe(last: Estimate, latency: number, isUsed: boolean, terms: AdaptiveTerms): Estimate {
  const { baseline, probed, size } = last;
  const hasRisen = baseline === 0 || latency * SAME > baseline;
  const before = probed > 0 ? probed : last.latency;
  const isFaster = latency < before * SAME;
  // With too few calls, the size made no difference.
  if (isUsed && hasRisen && size > terms.min && (isFaster || (probed === 0 && baseline > 0)))
    return probe({ ...last, probed: latency }, terms);
  const known = isUsed || baseline === 0 ? latency : Math.min(baseline, latency);
  const ratio = last.latency / known;
  // The first size was too large if the first probes were faster.
  const resumed = ratio > terms.tolerance && baseline === 0 ? atMiddle(last.resume, ratio, terms) : last.resume;
  return {
    ...last,
    size: resumed,
    baseline: known,
    resume: 0,
    probed: 0,
    isStarting: last.isStarting && ratio <= terms.tolerance,
  };
}

/** Returns the estimate after a window with many overloads. Their latencies are unknown, so the others say too little. */
function afterOverload(last: Estimate, { min }: AdaptiveTerms): Estimate {
  return {
    ...last,
    size: Math.max(min, last.size * OVERLOAD_FACTOR),
    resume: 0,
    probed: 0,
    windows: last.windows + 1,
    isStarting: false,
  };
}
