// One agent's part in finding the size of an adaptive limit.
//
// The agent measures its calls and adds up their latencies in its own memory. From time to time it adds the sums to the
// window in shared memory. For that it takes the limit's lock, a semaphore with one permit, if it is free; otherwise it
// tries again after its next call. No agent waits for the lock. The agent that completes a window computes the next
// estimate and sets the number of slots, which is one kernel step (sized-slots.ts).
//
// A call counts only if the number of slots has not changed while it ran: its latency is that of this number. An epoch
// is the time between two changes. A call notes the epoch in which it begins.
//
// Death: the samples that the agent has not added are lost. The permit of the lock comes back with its recovery. The
// state is the old one or the new one (shared-estimate.ts). If the agent died after it wrote the state and before it
// set the number of slots, the next agent with the lock sets it.

import type { Semaphore } from '@sluice/core';
import type { Clock } from '@sluice/core/calls';
import type { SizedSlots } from '../slots/sized-slots.ts';
import { nextEstimate, samplesOf, type Samples } from './estimate.ts';
import { saysOverloaded } from './options.ts';
import type { AdaptiveReport } from '../api/adaptive-report.ts';
import type { SharedEstimate, EstimateState } from './shared-estimate.ts';

/** The shortest latency, in ms: a clock may stand still during a call. */
const SHORTEST_MS = 0.001;
/** A call counts as at most this many baselines. So one call that hangs does not decide about all others. */
const LONGEST_BASELINES = 10;

const NONE: Samples = { count: 0, sum: 0, saturated: 0, overloads: 0 };

export class Tuner {
  readonly #shared: SharedEstimate;
  readonly #lock: Semaphore;
  readonly #slots: SizedSlots;
  readonly #clock: Clock;
  readonly #isOverload: (error: unknown) => boolean;
  // The samples of this agent that are not in the window yet.
  #count = 0;
  #sum = 0;
  #saturated = 0;
  #overloads = 0;
  /** The epoch of these samples. */
  #epoch = 0;
  /** In ms. */
  #longest = Infinity;

  constructor(
    shared: SharedEstimate,
    lock: Semaphore,
    slots: SizedSlots,
    clock: Clock,
    isOverload: (error: unknown) => boolean = saysOverloaded,
  ) {
    this.#shared = shared;
    this.#lock = lock;
    this.#slots = slots;
    this.#clock = clock;
    this.#isOverload = isOverload;
  }

  /** The epoch of a call that begins now. */
  get epoch(): number {
    return this.#shared.epoch;
  }

  /** Returns `fn`, measured. */
  measured<Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T): (...args: Args) => Promise<T> {
    return async (...args) => {
      const { epoch } = this;
      const began = this.#clock();
      try {
        const result = await fn(...args);
        this.ended(epoch, this.#clock() - began);
        return result;
      } catch (failure) {
        if (this.#saysOverload(failure)) this.failed(epoch);
        throw failure;
      }
    };
  }

  report(): AdaptiveReport {
    const { estimate, samples } = this.#shared.read();
    const { min, max, tolerance } = this.#shared.terms;
    return {
      min,
      max,
      target: 'latency',
      tolerance,
      estimate: estimate.size,
      baseline: estimate.baseline,
      latency: estimate.latency,
      isProbing: estimate.resume > 0,
      samples: samples.count + samples.overloads,
      samplesNeeded: samplesOf(estimate.size),
    };
  }

  #saysOverload(failure: unknown): boolean {
    try {
      // Only `true` counts. A promise would be truthy, but no call awaits it.
      const answer: unknown = this.#isOverload(failure);
      return answer === true;
    } catch {
      // The caller gets the error of its function.
      return false;
    }
  }

  /** Counts a call that began in that epoch and returned after `ms`. It still has its slot. Never throws. */
  ended(epoch: number, ms: number): void {
    if (!this.#counts(epoch)) return;
    this.#count += 1;
    this.#sum += Math.min(Math.max(ms, SHORTEST_MS), this.#longest);
    this.#noteUse();
  }

  /** Counts a call that began in that epoch and failed because of an overload, as `ended` does. */
  failed(epoch: number): void {
    if (!this.#counts(epoch)) return;
    this.#overloads += 1;
    this.#noteUse();
  }

  /** Whether the number of slots has not changed since a call began. */
  #counts(epoch: number): boolean {
    if (epoch !== this.#shared.epoch) return false;
    if (epoch !== this.#epoch) this.#forget(epoch);
    return true;
  }

  #forget(epoch: number): void {
    this.#count = this.#sum = this.#saturated = this.#overloads = 0;
    this.#epoch = epoch;
  }

  #noteUse(): void {
    if (this.#slots.isSaturated) this.#saturated += 1;
    if (this.#count + this.#overloads >= this.#shared.batch) this.#add();
  }

  /** Adds this agent's samples to the window, if no other agent does so at the moment. */
  #add(): void {
    // The caller gets the result of its function whatever happens here: if the limit was closed, the number of slots
    // does not change.
    try {
      if (!this.#lock.tryAcquire()) return;
      try {
        this.#change();
      } finally {
        this.#lock.release();
      }
    } catch {
      this.#forget(this.#epoch);
    }
  }

  #change(): void {
    const state = this.#shared.read();
    const { min, max } = this.#shared.terms;
    // Damaged words must not take all slots away: the size stays as it is.
    if (!(state.estimate.size >= min && state.estimate.size <= max)) return;
    // The last agent with the lock died before it set the number of slots.
    if (this.#shared.epoch !== state.epoch) this.#apply(state);
    if (this.#epoch !== state.epoch) {
      // Another agent has changed the number of slots since these calls were counted.
      this.#forget(state.epoch);
      return;
    }
    const next = this.#next(state);
    this.#forget(state.epoch);
    this.#shared.write(next);
    const { baseline } = next.estimate;
    this.#longest = baseline > 0 ? Math.max(LONGEST_BASELINES, 2 * this.#shared.terms.tolerance) * baseline : Infinity;
    if (next.epoch !== state.epoch) this.#apply(next);
  }

  /** Returns the state with this agent's samples. */
  #next({ estimate, samples, epoch }: EstimateState): EstimateState {
    const sums: Samples = {
      count: samples.count + this.#count,
      sum: samples.sum + this.#sum,
      saturated: samples.saturated + this.#saturated,
      overloads: samples.overloads + this.#overloads,
    };
    if (sums.count + sums.overloads < samplesOf(estimate.size)) return { estimate, samples: sums, epoch };
    const next = nextEstimate(estimate, sums, this.#shared.terms);
    const isSame = Math.floor(next.size) === Math.floor(estimate.size);
    return { estimate: next, samples: NONE, epoch: isSame ? epoch : (epoch + 1) | 0 };
  }

  #apply(state: EstimateState): void {
    this.#slots.resize(Math.floor(state.estimate.size));
    this.#shared.begin(state);
  }
}
