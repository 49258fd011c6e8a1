// Limits in virtual time, without threads: that of this package, and those that it was compared with.

import {
  firstEstimate,
  nextEstimate,
  samplesOf,
  type AdaptiveTerms,
  type Estimate,
} from '../../../src/adaptive/estimate.ts';

export interface Policy {
  readonly size: number;
  /** A call ended. `size`: the size when it began. `isFull`: whether all slots were taken when it ended. */
  ended(latency: number, size: number, isFull: boolean): void;
}

export function fixed(size: number): Policy {
  return { size, ended: () => undefined };
}

/** The estimate of this package, with windows as the tuner keeps them. */
export class Adaptive implements Policy {
  estimate: Estimate;
  readonly #terms: AdaptiveTerms;
  #count = 0;
  #sum = 0;
  #saturated = 0;

  constructor(terms: AdaptiveTerms, initial = terms.min) {
    this.#terms = terms;
    this.estimate = firstEstimate(initial);
  }

  get size(): number {
    return Math.floor(this.estimate.size);
  }

  ended(latency: number, size: number, isFull: boolean): void {
    // Calls that began under another size say nothing about this one.
    if (size !== this.size) return;
    this.#count += 1;
    this.#sum += latency;
    if (isFull) this.#saturated += 1;
    if (this.#count < samplesOf(this.estimate.size)) return;
    const samples = { count: this.#count, sum: this.#sum, saturated: this.#saturated, overloads: 0 };
    this.estimate = nextEstimate(this.estimate, samples, this.#terms);
    this.#count = this.#sum = this.#saturated = 0;
  }
}

/** Additive increase, multiplicative decrease: a call slower than a bound that somebody has to choose is a loss. */
export class Aimd implements Policy {
  size: number;
  readonly #bound: number;
  readonly #max: number;
  #since = 0;

  constructor(initial: number, max: number, bound: number) {
    this.size = initial;
    this.#max = max;
    this.#bound = bound;
  }

  ended(latency: number, _: number, isFull: boolean): void {
    this.#since += 1;
    // One change for each round of calls.
    if (this.#since < this.size) return;
    this.#since = 0;
    if (latency > this.#bound) this.size = Math.max(1, Math.floor(this.size * 0.9));
    else if (isFull) this.size = Math.min(this.#max, this.size + 1);
  }
}

/**
 * A gradient over a long average of the latency, without probes: the size times the ratio of the long average to the
 * short one, plus √size.
 */
export class LongGradient implements Policy {
  #size: number;
  readonly #max: number;
  #long = 0;

  constructor(initial: number, max: number) {
    this.#size = initial;
    this.#max = max;
  }

  get size(): number {
    return Math.floor(this.#size);
  }

  ended(latency: number, _: number, isFull: boolean): void {
    this.#long = this.#long === 0 ? latency : this.#long + (latency - this.#long) / 600;
    if (!isFull) return;
    const gradient = Math.max(0.5, Math.min(1, (1.5 * this.#long) / latency));
    const next = this.#size * gradient + Math.sqrt(this.#size);
    this.#size = Math.max(1, Math.min(this.#max, this.#size * 0.8 + next * 0.2));
  }
}
